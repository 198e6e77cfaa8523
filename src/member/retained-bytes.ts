/** Returns about how much memory a decoded value takes. */
export function retainedBytes(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 16;
  if (Array.isArray(value)) for (let k = 0; k < value.length; k += 1) bytes += retainedBytes(value[k]);
  else for (const key in value) bytes += 8 + retainedBytes((value as Readonly<Record<string, unknown>>)[key]);
  return bytes;
}
