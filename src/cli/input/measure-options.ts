/** The options of `baton measure`. With `--compare` most of them are refused. */
export interface MeasureOptions {
  readonly problem?: string;
  readonly sizes?: string;
  readonly max?: string;
  readonly runs?: string;
  readonly budget?: string;
  readonly measuresBudget?: string;
  readonly measure?: string;
  readonly workers?: string;
  readonly out?: string;
  readonly json?: boolean;
}
