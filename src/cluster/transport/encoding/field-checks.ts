/** The longest name of a lock, election, algorithm or group, in UTF-16 units. */
export const longestName = 1000;

/** Whether a decoded value may stand in a field. */
export type FieldCheck = (value: unknown) => boolean;

export const isBoolean: FieldCheck = (value) => typeof value === 'boolean';
export const isCount: FieldCheck = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
export const isName: FieldCheck = (value) => typeof value === 'string' && value.length <= longestName;
