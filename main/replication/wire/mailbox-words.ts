// What a device and a relay say to each other about a mailbox, before the relay passes bytes on and reads nothing more.
// Knows no socket and no pairing.
import { z } from 'zod'
import { decodeBy, encodeBy, readCbor } from './cbor.ts'
import * as shape from './shapes.ts'

/** Bytes of the name of a mailbox: drawn at random, so that nobody finds one by trying. */
export const boxBytes = 10

/** Bytes of one message of what is passed on. */
export const boxMessageLimit = 32 * 1024

/** Label of the keying material that an opening signs. */
export const boxAuthLabel = 'cairn-mailbox-auth'

const box = shape.fixed(boxBytes)
const schema = z.discriminatedUnion('kind', [
  /** Wait here for one visitor, for a device that is in a workspace of the relay; signed over this connection's keying material. */
  z.strictObject({
    kind: z.literal('open'),
    box,
    ws: shape.workspaceId,
    epoch: shape.revision,
    key: shape.hash,
    sig: shape.signature,
  }),
  /** Connect me with whoever waits there. */
  z.strictObject({ kind: z.literal('visit'), box }),
  /** It waits. */
  z.strictObject({ kind: z.literal('opened') }),
  /** From the next message on everything is passed on as it is. */
  z.strictObject({ kind: z.literal('joined') }),
  /** The end, and why. */
  z.strictObject({ kind: z.literal('refused'), code: shape.text(64) }),
])

/** Everything that is said. `open` and `visit` come from devices, the others from the relay. */
export type MailboxWord = Readonly<z.output<typeof schema>>

/** The bytes of a word. @throws WireError for what its reader would refuse */
export function encodeMailboxWord(word: MailboxWord): Uint8Array {
  return encodeBy(schema, word)
}

/** Reads a word that fills the bytes given. @throws WireError for anything else */
export function decodeMailboxWord(encoded: Uint8Array): MailboxWord {
  return decodeBy(schema, readCbor(encoded))
}
