// Schemas of the values that frames and words are made of. Each holds for the writer and the reader alike: what the one
// lets through, the other accepts. Knows no frame.
import { z } from 'zod'
import { hashBytes, maxMilliseconds, maxRevision, maxSequence, signatureBytes, workspaceIdBytes } from './limits.ts'

/** A whole number from 0 to `max`. */
export const uint = (max: number): z.ZodInt => z.int().min(0).max(max)

/** A whole number from 1 to `max`. */
export const positive = (max: number): z.ZodInt => z.int().min(1).max(max)

/** Exactly `length` bytes. */
export const fixed = (length: number): z.ZodType<Uint8Array> =>
  z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length === length, `${length} bytes are due.`)

/** At most `max` bytes. */
export const bytes = (max: number): z.ZodType<Uint8Array> =>
  z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length <= max, `${max} bytes are the limit.`)

/** A text of at most `max` bytes of UTF-8. Half a surrogate pair is refused: it has no UTF-8. */
export const text = (max: number): z.ZodString =>
  z.string().refine((value) => value.isWellFormed() && Buffer.byteLength(value) <= max, 'A text is too long or broken.')

/** A place in the log of an incarnation. */
export const sequence = positive(maxSequence)

/** An incarnation. */
export const incarnation = uint(0xff_ff_ff_ff)

/** A revision or an epoch. */
export const revision = uint(maxRevision)

/** Milliseconds since 1970. */
export const time = uint(maxMilliseconds)

/** A SHA-256 hash or a public key. */
export const hash = fixed(hashBytes)

/** A signature. */
export const signature = fixed(signatureBytes)

/** The id of a workspace. */
export const workspaceId = fixed(workspaceIdBytes)
