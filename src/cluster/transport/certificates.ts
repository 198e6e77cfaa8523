// Apart from security.ts: public types use this interface, and must not depend on the types of Node.

/** Certificates in PEM, from an authority that signs only for members of one group. */
export interface Certificates {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}
