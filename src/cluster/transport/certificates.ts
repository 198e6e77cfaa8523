// Apart from security.ts: public types use this interface, and must not depend on the types of Node.

/** Certificates in PEM, from an authority that signs only for members of one group. */
export interface Certificates {
  /** The private key of this member. */
  readonly key: string;
  /** The certificate of this member. */
  readonly cert: string;
  /** The certificate of the authority; of several, one after the other. */
  readonly ca: string;
}

/** Certificates, or a function that returns them. It is called again every minute: new connections use what it returned last. */
export type CertificateSource = Certificates | (() => Certificates | Promise<Certificates>);
