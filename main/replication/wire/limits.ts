// How large what travels between devices may be. Numbers only; knows no layout.

const kib = 1024

/** Bytes of one envelope as it travels and is stored, header included: the texts of one record (D-199) fit into it. */
export const envelopeLimit = 6 * 1024 * kib

/** Bytes of one frame. */
export const frameLimit = 256 * kib

/** Bytes a sender may have on the way without an acknowledgement. */
export const windowLimit = 1024 * kib

/** A head comes at least every so many envelopes. */
export const runLimitCount = 256

/** A head comes at least every so many bytes; one larger envelope may stand alone. */
export const runLimitBytes = 512 * kib

/**
 * Bytes of a document that travel at once to repair another one, below the bytes of waiting words above which a peer is not
 * heard: two sides that repair each other never wait for each other.
 */
export const repairPartBytes = 2 * 1024 * kib

/** Bytes of one awareness update. */
export const awarenessLimit = 4 * kib

/** Bytes of a workspace's id. */
export const workspaceIdBytes = 16

/** Bytes of a SHA-256 hash, of an Ed25519 public key and of what a pairing draws at random. */
export const hashBytes = 32

/** Bytes of an Ed25519 signature. */
export const signatureBytes = 64

/** Largest sequence number, far below where numbers stop being exact: arithmetic on it cannot go wrong. */
export const maxSequence = 2 ** 48 - 1

/** Largest number of an epoch and of a revision. */
export const maxRevision = 0xff_ff_ff_ff

/** Largest millisecond of a stamp: 48 bits. */
export const maxMilliseconds = 2 ** 48 - 1

/** UTF-8 bytes of the name of a document. */
export const docNameLimit = 1024
