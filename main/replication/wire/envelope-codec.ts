// Envelopes as bytes: the header in clear, the body that only members of the workspace need to read. Knows no socket, no
// database, and nothing of what an update means.
import * as encoding from 'lib0/encoding'
import type { EnvelopeBody, EnvelopeKind, Fact, SealedEnvelope } from '../core/types.ts'
import { readJson, writeJson } from './fact-json.ts'
import type { Field } from './fields.ts'
import { byte, bytes, endOf, list, readerOf, record, take, text, uint, uint32 } from './fields.ts'
import { docNameLimit, envelopeLimit, maxMilliseconds, maxRevision, maxSequence, workspaceIdBytes } from './limits.ts'
import { WireError } from './wire-error.ts'

/** The layout of headers this code writes and reads. A header with further fields has another number. */
export const envelopeVersion = 1

/** Bytes no header is longer than. */
const headerLimit = 32

/** Bytes of a body. */
export const bodyLimit = envelopeLimit - headerLimit

/** A body of a kind this version does not know: it can be stored and passed on, not applied. */
export interface OpaqueBody {
  readonly kind: 'opaque'
  /** The number that stands for the kind. */
  readonly number: number
  readonly doc: string
}

/** The place of a kind in this list is its number on the wire: add at the end, never reorder. */
const kinds: readonly EnvelopeKind[] = ['update', 'text', 'feed', 'facts', 'genesis', 'control']
const kindNumberLimit = 0xffff

const fact: Field<Fact> = record<Fact>({
  id: text(256),
  kind: text(64),
  value: {
    write: (to, value) => jsonText.write(to, writeJson(value)),
    read: (from) => readJson(jsonText.read(from)),
  },
})
const jsonText = text(bodyLimit)
/** Two empty texts and one digit, each after its length. */
const leastFactBytes = 4

const docName = text(docNameLimit)
const kindNumber = uint(kindNumberLimit)
const afterKind = record<Omit<EnvelopeBody, 'doc' | 'kind'>>({
  hlc: record<EnvelopeBody['hlc']>({ ms: uint(maxMilliseconds), ctr: uint(0xffff) }),
  group: record<EnvelopeBody['group']>({ first: uint(maxSequence, 1), count: uint(maxRevision, 1) }),
  author: text(256),
  aclRev: uint(maxRevision),
  schemaRev: uint(maxRevision),
  update: bytes(bodyLimit),
  facts: list(fact, bodyLimit, leastFactBytes),
})

const headerFields = record<Omit<SealedEnvelope, 'body'>>({
  inc: uint32,
  seq: uint(maxSequence, 1),
  epoch: uint(maxRevision),
  seal: byte,
})
const bodyLength = uint(bodyLimit)

/** The bytes of a body. @throws WireError when it is too large or holds what cannot be written */
export function encodeBody(body: EnvelopeBody): Uint8Array {
  const encoder = encoding.createEncoder()
  docName.write(encoder, body.doc)
  kindNumber.write(encoder, kinds.indexOf(body.kind))
  afterKind.write(encoder, body)
  const encoded = encoding.toUint8Array(encoder)
  if (encoded.length > bodyLimit) throw new WireError('too_large', `A body has ${encoded.length} bytes.`)
  return encoded
}

/**
 * Reads a plain body. What follows an unknown kind has an unknown layout and is not read.
 * The update is a view on the bytes given: copy it to keep it longer than them.
 * @throws WireError
 */
export function decodeBody(body: Uint8Array): EnvelopeBody | OpaqueBody {
  if (body.length > bodyLimit) throw new WireError('too_large', `A body has ${body.length} bytes.`)
  const reader = readerOf(body)
  const doc = docName.read(reader)
  const number = kindNumber.read(reader)
  const kind = kinds[number]
  if (kind === undefined) return { kind: 'opaque', number, doc }
  const rest = afterKind.read(reader)
  endOf(reader)
  return { doc, kind, ...rest }
}

/** Whether a body could be read as far as its kind alone. */
export function isOpaque(body: EnvelopeBody | OpaqueBody): body is OpaqueBody {
  return body.kind === 'opaque'
}

/** The bytes of an envelope. @throws WireError when a number is out of its range or the body is too large */
export function encodeEnvelope(envelope: SealedEnvelope): Uint8Array {
  const encoder = encoding.createEncoder()
  writeHeader(encoder, envelope)
  encoding.writeUint8Array(encoder, envelope.body)
  return encoding.toUint8Array(encoder)
}

/**
 * Reads one envelope that fills the bytes given. One envelope has one spelling: written again, it is the same bytes.
 * The body is a view on the bytes given: copy it to keep it longer than them.
 * @throws WireError `unsupported` for a header of another version
 */
export function decodeEnvelope(encoded: Uint8Array): SealedEnvelope {
  if (encoded.length > envelopeLimit) throw new WireError('too_large', `An envelope has ${encoded.length} bytes.`)
  const reader = readerOf(encoded)
  const version = byte.read(reader)
  if (version !== envelopeVersion) throw new WireError('unsupported', `An envelope is of version ${version}.`)
  const header = headerFields.read(reader)
  const body = take(reader, bodyLength.read(reader))
  endOf(reader)
  return { ...header, body }
}

/** Bytes of an envelope as it travels, without writing it. */
export function envelopeSize(envelope: SealedEnvelope): number {
  const fixedBytes = 1 + 4 + 1
  const { seq, epoch, body } = envelope
  return fixedBytes + varintSize(seq) + varintSize(epoch) + varintSize(body.length) + body.length
}

/**
 * The header as the hash chain covers it: with the id of the workspace, which the wire leaves out because a connection
 * belongs to one. An envelope moved into another workspace therefore breaks the chain.
 * @throws WireError when a number is out of its range
 */
export function chainedHeader(workspace: Uint8Array, envelope: SealedEnvelope): Uint8Array {
  if (workspace.length !== workspaceIdBytes)
    throw new WireError('malformed', `The id of a workspace has ${workspace.length} bytes.`)
  const encoder = encoding.createEncoder()
  encoding.writeUint8Array(encoder, workspace)
  writeHeader(encoder, envelope)
  return encoding.toUint8Array(encoder)
}

function writeHeader(encoder: encoding.Encoder, envelope: SealedEnvelope): void {
  encoding.writeUint8(encoder, envelopeVersion)
  headerFields.write(encoder, envelope)
  bodyLength.write(encoder, envelope.body.length)
}

function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size += 1
  return size
}
