// What a device and a relay say to each other about a mailbox, before the relay passes bytes on and reads nothing more.
// Each layout stands once. Knows no socket and no pairing.
import * as encoding from 'lib0/encoding'
import type { Field, Fields } from './fields.ts'
import { fixed, record, text, uint } from './fields.ts'
import { hashBytes, maxRevision, signatureBytes, workspaceIdBytes } from './limits.ts'
import { StrictReader } from './strict-reader.ts'
import { WireError } from './wire-error.ts'

/** Bytes of the name of a mailbox: drawn at random, so that nobody finds one by trying. */
export const boxBytes = 10

/** Bytes of one message of what is passed on. */
export const boxMessageLimit = 32 * 1024

/** Label of the keying material that an opening signs. */
export const boxAuthLabel = 'cairn-mailbox-auth'

/** Everything that is said. `open` and `visit` come from devices, the others from the relay. */
export type MailboxWord =
  /** Wait here for one visitor, for a device that is in a workspace of the relay. */
  | {
      readonly kind: 'open'
      readonly box: Uint8Array
      readonly ws: Uint8Array
      readonly epoch: number
      readonly key: Uint8Array
      /** Over the keying material of this connection. */
      readonly sig: Uint8Array
    }
  /** Connect me with whoever waits there. */
  | { readonly kind: 'visit'; readonly box: Uint8Array }
  /** It waits. */
  | { readonly kind: 'opened' }
  /** From the next message on everything is passed on as it is. */
  | { readonly kind: 'joined' }
  /** The end, and why. */
  | { readonly kind: 'refused'; readonly code: string }

type Kind = MailboxWord['kind']
type WordOf<K extends Kind> = Extract<MailboxWord, { readonly kind: K }>

interface Layout {
  readonly kind: Kind
  readonly type: number
  readonly fields: Field<object>
}

const box = fixed(boxBytes)
const layouts: { readonly [K in Kind]: Layout } = {
  open: layout('open', 1, {
    box,
    ws: fixed(workspaceIdBytes),
    epoch: uint(maxRevision),
    key: fixed(hashBytes),
    sig: fixed(signatureBytes),
  }),
  visit: layout('visit', 2, { box }),
  opened: layout('opened', 3, {}),
  joined: layout('joined', 4, {}),
  refused: layout('refused', 5, { code: text(64) }),
}
const byType = new Map(Object.values(layouts).map((one) => [one.type, one]))
const wordType = uint(0xff)

/** The bytes of a word. @throws WireError for what its reader would refuse */
export function encodeMailboxWord(word: MailboxWord): Uint8Array {
  const { type, fields } = layouts[word.kind]
  const encoder = encoding.createEncoder()
  wordType.write(encoder, type)
  fields.write(encoder, word)
  return encoding.toUint8Array(encoder)
}

/** Reads a word that fills the bytes given. @throws WireError for anything else */
export function decodeMailboxWord(encoded: Uint8Array): MailboxWord {
  const reader = new StrictReader(encoded)
  const known = byType.get(wordType.read(reader))
  if (known === undefined) throw new WireError('malformed', 'This is no word about a mailbox.')
  const values = known.fields.read(reader)
  reader.end()
  return { kind: known.kind, ...values } as MailboxWord
}

function layout<K extends Kind>(kind: K, type: number, fields: Fields<Omit<WordOf<K>, 'kind'>>): Layout {
  return { kind, type, fields: record(fields) as unknown as Field<object> }
}
