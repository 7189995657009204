// Owns how the screens cut files into pieces.

/** Files beyond one chunk are sent in chunks. The host takes chunks from 5 MiB on; smaller ones show progress earlier. */
export const storageLimits = { chunkBytes: 5_242_880 } as const
