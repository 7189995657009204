// What PostgreSQL is given to keep: compressed, and sealed with a key that it never sees. The place of a body is sealed
// with it, so that a body that was put elsewhere does not open.
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

const compressAside = promisify(zstdCompress)

const format = 1
const nonceBytes = 12
const tagBytes = 16
const keyBytes = 32
const headBytes = 1 + nonceBytes + tagBytes
/** From here on the thread pool compresses: below, the way there takes longer. */
const asideBytes = 64 * 1024
/** More than this never comes out of a body: a row of a whole loan. */
const maxOutputBytes = 2 ** 31 - 1

const params = { [constants.ZSTD_c_compressionLevel]: 1 }
/** Bytes of output made at once, where that is not known. */
const largePiece = 512 * 1024

/** What comes out in one piece: each further one is another way through the event loop, or another buffer. */
const pieceFor = (bytes: number): number => Math.min(Math.max(Math.ceil(bytes), 1024), largePiece)

/** Seals bodies for one workspace. */
export interface Seal {
  /** @param place which body it is, for example `log/7/12` */
  seal(place: string, body: Buffer): Promise<Buffer>
  /** @throws SealBroken when the key or the place is another one, a byte has changed, or a newer program sealed it */
  open(place: string, sealed: Buffer): Buffer
}

/** What the store gave does not open; asking again does not help. */
export class SealBroken extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SealBroken'
  }
}

/** Makes the seal of a workspace. @param key 32 bytes @throws Error when the key has another length */
export function createSeal(key: Buffer, workspace: string): Seal {
  if (key.length !== keyBytes) throw new Error('The key of a hub has 32 bytes. Use the key file that `hub init` made.')
  const secret = createSecretKey(key)
  const about = (place: string): Buffer => Buffer.from(`cairn-hub-v1\n${workspace}\n${place}`)
  return {
    async seal(place, body) {
      const settings = { params, chunkSize: pieceFor(body.length / 2) }
      const packed = body.length < asideBytes ? zstdCompressSync(body, settings) : await compressAside(body, settings)
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', secret, nonce)
      cipher.setAAD(about(place))
      const sealed = [cipher.update(packed), cipher.final()]
      return Buffer.concat([Buffer.from([format]), nonce, cipher.getAuthTag(), ...sealed])
    },
    open(place, sealed) {
      if (sealed.length < headBytes || sealed[0] !== format)
        throw new SealBroken('What the hub keeps has a form this program does not know. Upgrade this node.')
      const nonce = sealed.subarray(1, 1 + nonceBytes)
      const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: tagBytes })
      decipher.setAAD(about(place))
      decipher.setAuthTag(sealed.subarray(1 + nonceBytes, headBytes))
      let packed: Buffer
      try {
        packed = decipher.update(sealed.subarray(headBytes))
        // It has nothing more to give; it is what tells whether the bytes are the ones that were sealed.
        decipher.final()
      } catch (cause) {
        throw new SealBroken(
          `What the hub keeps as ${place} does not open: the key file is another one, or PostgreSQL does not hold what was stored. Nothing of it was used.`,
          { cause },
        )
      }
      return zstdDecompressSync(packed, { maxOutputLength: maxOutputBytes, chunkSize: pieceFor(packed.length * 4) })
    },
  }
}
