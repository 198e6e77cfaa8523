// Apart from security.ts: public types use this interface, and must not depend on the types of Node.

/** Certificates in PEM, from an authority that signs only for members of one group. */
export interface Certificates {
  /** The private key of this member. */
  readonly key: string;
  /** The certificate of this member. */
  readonly cert: string;
  /** The certificate of the authority. */
  readonly ca: string;
}
