import { useEffect, useRef, useState } from 'preact/hooks';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly type?: 'number';
  readonly hint?: string;
  readonly list?: string;
  readonly range?: { readonly min?: number; readonly max?: number };
  readonly set: (value: string) => unknown; // whether the value was valid, or a promise of it
}

/** Commits its text on Enter and on blur, and restores the value if the text is not valid. */
export function TextField({ label, value, type, hint, list, range: { min, max } = {}, set }: TextFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const pending = useRef<unknown>(null);
  const commit = () => {
    if (text.trim() === value) return;
    pending.current = set(text.trim().replace(/\s+/g, ''));
  };
  const leave = async () => {
    if (!(await pending.current)) setText(value);
    pending.current = null;
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
