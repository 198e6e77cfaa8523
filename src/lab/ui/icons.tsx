const paths = {
  play: 'M7 4.5v15l13-7.5z',
  pause: 'M6 4.5h4.2v15H6zM13.8 4.5H18v15h-4.2z',
  forward: 'M5 4.5v15l9-7.5zM15.5 4.5H19v15h-3.5z',
  back: 'M19 4.5v15l-9-7.5zM5 4.5h3.5v15H5z',
  first: 'M20 4.5v15l-7.5-7.5zM12.5 4.5v15L5 12zM3 4.5h2.4v15H3z',
  last: 'M4 4.5v15l7.5-7.5zM11.5 4.5v15L19 12zM18.6 4.5H21v15h-2.4z',
  plus: 'M10.8 5h2.4v5.8H19v2.4h-5.8V19h-2.4v-5.8H5v-2.4h5.8z',
  minus: 'M5 10.8h14v2.4H5z',
  fit: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
  close: 'M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6l5.6-5.6L5 6.4z',
  dice: 'M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zm3 3.4a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2zm8 8a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2zm-4-4a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2z',
  theme: 'M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19zM12 4.7v14.6a7.3 7.3 0 0 1 0-14.6z',
  menu: 'M4 6h16v2.2H4zM4 10.9h16v2.2H4zM4 15.8h16V18H4z',
  chevron: 'M6.7 9 12 14.3 17.3 9l1.4 1.4L12 17.1l-6.7-6.7z',
} as const;

export const Icon = ({ name }: { readonly name: keyof typeof paths }) => (
  <svg viewBox="0 0 24 24" width="20" height="20" fill="currentColor" fill-rule="evenodd" aria-hidden="true">
    <title>{name}</title>
    <path d={paths[name]} />
  </svg>
);
