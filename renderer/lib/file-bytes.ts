// Owns fetching the bytes of files for looking at them, and small pictures made of them. What was fetched is kept for a while.
import { download } from './api-client.ts'

/** Bigger files are saved, not looked at. */
export const previewBytes = 64 * 1_048_576

const thumbnailEdge = 160
const keptThumbnails = 300
const thumbnails = new Map<string, Promise<string | undefined>>()
/** The addresses of those that are made, by the same keys. */
const addresses = new Map<string, string>()
/** Pictures that are made at a time: decoding is work for the machine. */
const atOnce = 3
let running = 0
/** Those that wait, the latest at the end: it is what is in sight. */
const waiting: { start(): void; give(): void }[] = []
const mostWaiting = 120

/** What the kind of a file is looked at with; undefined for those that are only saved. */
export type PreviewKind = 'image' | 'pdf' | 'audio' | 'video' | 'text'

/** How a file is looked at; what could run something is not. */
export function previewKindOf(mimeType: string): PreviewKind | undefined {
  if (mimeType === 'image/svg+xml' || mimeType === 'text/html') return undefined
  if (mimeType.startsWith('image/')) return 'image'
  if (mimeType === 'application/pdf') return 'pdf'
  if (mimeType.startsWith('audio/')) return 'audio'
  if (mimeType.startsWith('video/')) return 'video'
  return mimeType.startsWith('text/') || mimeType === 'application/json' ? 'text' : undefined
}

/** The bytes of a file. @throws ApiError, DOMException AbortError */
export async function fetchFile(fileId: string, signal?: AbortSignal): Promise<Blob> {
  return (await download('downloadFile', { params: { id: fileId }, query: {}, ...(signal ? { signal } : {}) })).file
}

/** The same, but nothing is asked of other machines: a list that is looked through does not fetch what is in it. */
async function fetchHere(fileId: string): Promise<Blob> {
  return (await download('downloadFile', { params: { id: fileId }, query: { local: true } })).file
}

/** The address of a small picture that is made already; undefined where none is. @param edge as of {@link thumbnailOf} */
export function madeThumbnail(fileId: string, edge = thumbnailEdge): string | undefined {
  return addresses.get(`${edge} ${fileId}`)
}

/**
 * The address of a small picture of an image, made once; undefined when none can be made of it here.
 * @param edge its longer side in pixels
 */
export function thumbnailOf(
  file: { fileId: string; mimeType: string; size: number },
  edge = thumbnailEdge,
): Promise<string | undefined> {
  const { fileId, mimeType, size } = file
  if (previewKindOf(mimeType) !== 'image' || size > previewBytes) return Promise.resolve(undefined)
  const key = `${edge} ${fileId}`
  const known = thumbnails.get(key)
  if (known) return known
  const made = inTurn(async () => shrink(await fetchHere(fileId), edge)).then(
    (address) => {
      if (address !== undefined) addresses.set(key, address)
      return address
    },
    () => {
      // Another try when it is shown again: the host may only have been away, or it was out of sight by its turn.
      thumbnails.delete(key)
      return undefined
    },
  )
  thumbnails.set(key, made)
  const [oldest] = thumbnails.keys()
  if (thumbnails.size > keptThumbnails && oldest !== undefined) {
    void thumbnails.get(oldest)?.then((address) => {
      addresses.delete(oldest)
      if (address !== undefined) URL.revokeObjectURL(address)
    })
    thumbnails.delete(oldest)
  }
  return made
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce)
    await new Promise<void>((resolve, reject) => {
      waiting.push({ start: resolve, give: () => reject(new DOMException('Out of sight.', 'AbortError')) })
      if (waiting.length > mostWaiting) waiting.shift()?.give()
    })
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
    waiting.pop()?.start()
  }
}

async function shrink(file: Blob, edge: number): Promise<string | undefined> {
  const picture = await createImageBitmap(file)
  try {
    const scale = Math.min(1, edge / Math.max(picture.width, picture.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(picture.width * scale))
    canvas.height = Math.max(1, Math.round(picture.height * scale))
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
    const small = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 0.8))
    return small === null ? undefined : URL.createObjectURL(small)
  } finally {
    picture.close()
  }
}
