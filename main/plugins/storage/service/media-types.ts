// The media type of a file, found from its bytes; what was announced must not contradict it (D-186). Pure but for the library
// of marks, which is loaded with its first use.
import { storageError } from '../errors.ts'
import { endingOf } from './file-names.ts'
import { isText, isTextType, textEnding, textTypeOf } from './text-types.ts'

/** Bytes of the beginning of a file that are looked at. */
export const beginningBytes = 65_536

/** What was found. */
export interface MediaType {
  readonly mimeType: string
  /** Of the file's path, without the dot. */
  readonly extension: string
}

const unknown = 'application/octet-stream'
/** Types that clients send by themselves, whatever the bytes are. */
const sayNothing: ReadonlySet<string> = new Set([
  unknown,
  'binary/octet-stream',
  'application/x-www-form-urlencoded',
  'application/x-binary',
  '',
])
/** Containers that hold sound as well as pictures, by what is found in them. */
const containers: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'audio/mp4': 'mp4',
  'audio/x-m4a': 'mp4',
  'video/x-m4v': 'mp4',
  'video/quicktime': 'mp4',
  'video/webm': 'webm',
  'audio/webm': 'webm',
  'video/matroska': 'webm',
  'application/ogg': 'ogg',
  'audio/ogg': 'ogg',
  'video/ogg': 'ogg',
  'video/3gpp': '3gpp',
  'audio/3gpp': '3gpp',
  'application/vnd.ms-asf': 'asf',
  'audio/x-ms-asf': 'asf',
  'video/x-ms-asf': 'asf',
}
/** Other names of one type. */
const sameAs: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'application/x-zip-compressed': 'application/zip',
  'application/x-gzip': 'application/gzip',
  'application/x-pdf': 'application/pdf',
  'video/avi': 'video/vnd.avi',
  'video/x-msvideo': 'video/vnd.avi',
  'image/vnd.microsoft.icon': 'image/x-icon',
  'image/x-ms-bmp': 'image/bmp',
}

/**
 * Types with marks of two bytes or less, which one in a few hundred files of any other kind begins with: they say nothing
 * against what was announced.
 */
const weaklyMarked: ReadonlySet<string> = new Set([
  'audio/aac',
  'audio/mpeg',
  'audio/vnd.dolby.dd-raw',
  'image/bmp',
  'image/jxl',
  'video/mp2t',
])
/** Types whose mark is two letters: a text may begin with them. */
const markedByLetters: ReadonlySet<string> = new Set(['image/bmp', 'application/x-msdownload'])

/** The type without parameters in lower case; null for what says nothing of the bytes. */
export function announcedType(given: string | undefined): string | null {
  const bare = (given ?? '').split(';', 1)[0]!.trim().toLowerCase()
  const type = sameAs[bare] ?? bare
  return sayNothing.has(type) || !/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/.test(type) ? null : type
}

/**
 * Finds the type of a file.
 * @param announced what {@link announcedType} answers
 * @param strict true where exactly the announced type was promised: another one of its family is refused too
 * @throws file_type_not_allowed when the bytes are of another family than the announced one, or lack its mark
 */
export async function findMediaType(
  beginning: Uint8Array,
  announced: string | null,
  name: string,
  strict = false,
): Promise<MediaType> {
  const { fileTypeFromBuffer, supportedMimeTypes } = await import('file-type')
  const marked = await fileTypeFromBuffer(beginning).catch(() => undefined)
  const isByChance = (mime: string): boolean =>
    (weaklyMarked.has(mime) && announced !== null && familyOf(announced) !== familyOf(mime)) ||
    (markedByLetters.has(mime) && isText(beginning))
  const isNone = marked === undefined || marked.mime === 'application/xml' || isByChance(marked.mime)
  const found = isNone ? undefined : marked
  if (found === undefined && isText(beginning)) {
    const ending = endingOf(name)
    // Nothing tells of nothing.
    if (beginning.length === 0 && announced === null && textTypeOf(beginning, null, ending) === 'text/plain')
      return { mimeType: ending === 'txt' ? 'text/plain' : unknown, extension: ownEnding(name) }
    const mimeType = textTypeOf(beginning, announced, ending)
    const isOfFamily = announced !== null && familyOf(announced) === familyOf(mimeType) && !strict
    const hasNoMark = announced?.startsWith('application/') === true && !supportedMimeTypes.has(announced)
    if (announced !== null && announced !== mimeType && !isTextType(announced) && !isOfFamily && !hasNoMark)
      throw contradiction(announced, mimeType)
    return { mimeType, extension: textEnding(mimeType) ?? 'txt' }
  }
  if (found === undefined) {
    if (announced !== null && (isTextType(announced) || supportedMimeTypes.has(announced)))
      throw contradiction(announced, unknown)
    return { mimeType: unknown, extension: ownEnding(name) }
  }
  const mimeType = found.mime.split(';', 1)[0]!
  const extension = found.ext
  if (announced === null) return { mimeType, extension }
  const container = containers[mimeType]
  if (container !== undefined && containers[announced] === container) return { mimeType: announced, extension }
  const isOther = strict && announced !== mimeType && supportedMimeTypes.has(announced) && !isPacked(mimeType)
  if (isOther || familyOf(announced) !== familyOf(mimeType)) throw contradiction(announced, mimeType)
  return { mimeType, extension }
}

/** The path ending of a file whose bytes are not known yet. */
export function expectedEnding(announced: string | null, name: string): string {
  return (announced === null ? undefined : textEnding(announced)) ?? ownEnding(name)
}

/** Documents are packed: how they are told apart may lie beyond the beginning. */
function isPacked(mimeType: string): boolean {
  return mimeType === 'application/zip' || mimeType === 'application/x-cfb'
}

function familyOf(mimeType: string): string {
  return isTextType(mimeType) ? 'text' : mimeType.split('/', 1)[0]!
}

function ownEnding(name: string): string {
  const ending = endingOf(name)
  return /^[a-z0-9]{1,10}$/.test(ending) ? ending : 'bin'
}

function contradiction(announced: string | null, found: string): Error {
  return storageError('file_type_not_allowed', { announced, found })
}
