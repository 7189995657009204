// What a new machine is handed at the end of a pairing, as the bytes of `payload`: the workspace, its devices and users, and
// where to find the inviting machine; and where the new one is found in turn. Pure.
import { z } from 'zod'
import { parseAddress } from './addresses.ts'
import { rosterDeviceSchema } from './roster-entries.ts'

/** The layout of payloads this code writes and reads. */
const payloadVersion = 1

/** The payload is of a layout this version does not read. */
export class PayloadVersionError extends Error {
  constructor() {
    super('The other device hands over what this version cannot read.')
    this.name = 'PayloadVersionError'
  }
}

const payloadSchema = z.object({
  /** 16 bytes. */
  workspace: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .transform((hex): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'))),
  epoch: z.int().min(1),
  /** Every device the roster counts, the one that gives numbers first; the new one is among them. */
  devices: z.array(rosterDeviceSchema).min(2).max(300),
  /** `host:port` of the inviting machine. */
  addresses: z.array(z.string().max(300)).max(64),
  relay: z.object({ url: z.string().max(300), fingerprint: z.string().regex(/^[0-9a-f]{64}$/) }).nullable(),
})

/** The workspace as it is handed over. */
export type PairPayload = Readonly<z.output<typeof payloadSchema>>

/** Writes a payload. */
export function encodePayload(payload: PairPayload): Uint8Array {
  const { workspace, ...rest } = payload
  const text = JSON.stringify({ version: payloadVersion, workspace: Buffer.from(workspace).toString('hex'), ...rest })
  return new Uint8Array(Buffer.from(text, 'utf8'))
}

/**
 * Reads a payload. What a newer version adds beside what is known is passed over.
 * @throws PayloadVersionError, ZodError, SyntaxError
 */
export function decodePayload(bytes: Uint8Array): PairPayload {
  const value = JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown
  const version = z.object({ version: z.int() }).safeParse(value)
  if (version.success && version.data.version !== payloadVersion) throw new PayloadVersionError()
  return payloadSchema.parse(value)
}

const replySchema = payloadSchema.pick({ addresses: true })

/** Writes where a machine that joined can be reached: `host:port`, best first. */
export function encodeReply(addresses: readonly string[]): Uint8Array {
  return new Uint8Array(Buffer.from(JSON.stringify({ addresses }), 'utf8'))
}

/** Reads what {@link encodeReply} wrote; nothing of what is none. */
export function decodeReply(bytes: Uint8Array): readonly string[] {
  try {
    const { addresses } = replySchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
    return addresses.filter((address) => parseAddress(address) !== undefined)
  } catch {
    return []
  }
}
