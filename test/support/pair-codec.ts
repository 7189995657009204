// Messages of pairing as JSON, for tests of the exchange itself. Knows nothing of the frames that carry them in truth.
import type { PairCodec, PairMessage } from '#main/replication/channel/pairing.ts'

/** Writes bytes as `{"$": base64}`; anything that is no object with a kind is refused. */
export const jsonPairCodec: PairCodec = {
  encode: (message) =>
    Buffer.from(
      JSON.stringify(message, (_name, value: unknown) =>
        value instanceof Uint8Array && !Buffer.isBuffer(value) ? { $: Buffer.from(value).toString('base64') } : value,
      ),
    ),
  decode(bytes) {
    const message = JSON.parse(Buffer.from(bytes).toString('utf8'), (_name, value: unknown) =>
      typeof value === 'object' && value !== null && '$' in value
        ? new Uint8Array(Buffer.from(String(value.$), 'base64'))
        : value,
    ) as unknown
    if (typeof message !== 'object' || message === null || !('kind' in message)) throw new Error('Not a message.')
    return message as PairMessage
  },
}
