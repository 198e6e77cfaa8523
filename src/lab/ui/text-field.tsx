import { useEffect, useRef, useState } from 'preact/hooks';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly type?: 'number';
  readonly hint?: string;
  readonly list?: string;
  readonly range?: { readonly min?: number; readonly max?: number };
  readonly set: (value: string) => unknown; // a promise of whether it could be, if that takes a moment
}

/** What is written counts once one is done writing; what cannot be is put back. */
export function TextField({ label, value, type, hint, list, range: { min, max } = {}, set }: TextFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const setting = useRef<unknown>(null);
  const commit = () => {
    if (text.trim() === value) return;
    setting.current = set(text.trim().replace(/\s+/g, ''));
  };
  const leave = async () => {
    if (!(await setting.current)) setText(value);
    setting.current = null;
  };
  return (
    <label>
      <span>{label}</span>
      <input
        type={type ?? 'text'}
        value={text}
        placeholder={hint ?? ''}
        title={hint ?? ''}
        list={list}
        min={min}
        max={max}
        disabled={min !== undefined && min === max}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={commit}
        onKeyDown={(event) => event.key === 'Enter' && commit()}
        onBlur={leave}
      />
    </label>
  );
}
