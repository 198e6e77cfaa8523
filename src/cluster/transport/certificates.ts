/** In PEM, of a certification authority that signs for the members of one group and nobody else. */
export interface Certificates {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}
