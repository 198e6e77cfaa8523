/** Titles with names of people and abbreviations. Other titles are the words of the name. */
const titles = `Afek–Gafni, Carvalho–Roucairol, Chandy–Lamport, Chang–Roberts, Dolev–Klawe–Rodeh, Dolev–Klawe–Rodeh B,
  Hélary–Plouzeau–Raynal, Hirschberg–Sinclair, Itai–Rodeh, Korach–Moran–Zaks, Le Lann, Li–Hudak, Naimi–Trehel, NTP, Ricart–Agrawala,
  Suzuki–Kasami, Vitányi`;

const nameOf = (title: string): string =>
  title.normalize('NFD').replace(/\p{M}/gu, '').replace(/[– ]/g, '-').toLowerCase();

const byName = new Map(titles.split(/,\s+/).map((title) => [nameOf(title), title]));

/** Returns `Ricart–Agrawala token` for `ricart-agrawala-token`. */
export const titleOf = ({ name }: { readonly name: string }): string =>
  name.split('+').map(titled).join(' + ');

/** A variant or a mutant has the title of its original, followed by its own words. */
function titled(name: string): string {
  const words = name.split('-');
  for (let length = words.length; length > 0; length -= 1) {
    const title = byName.get(words.slice(0, length).join('-'));
    if (title !== undefined) return [title, ...words.slice(length)].join(' ');
  }
  return words.join(' ').replace(/^./, (first) => first.toUpperCase());
}
