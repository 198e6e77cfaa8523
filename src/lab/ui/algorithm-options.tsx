import { type Family, titleOf } from '../../catalogue/index.ts';

/** The options of a select for an algorithm. */
export const AlgorithmOptions = ({ families }: { readonly families: readonly Family[] }) =>
  families.map(({ title, members }) => (
    <optgroup key={title} label={title}>
      {members.map((algorithm) => (
        <option key={algorithm.name} value={algorithm.name}>
          {titleOf(algorithm)}
        </option>
      ))}
    </optgroup>
  ));
