// Names of documents, built and parsed. Knows their grammar alone, not what is in them.
import { parseUuid } from '#shared/field-types/uuid.ts'

/** What a document's name says. Objects, fields and metadata items are named by uid, so that a rename moves nothing. */
export type DocName =
  | { readonly kind: 'record'; readonly object: string; readonly record: string }
  | { readonly kind: 'text'; readonly object: string; readonly record: string; readonly field: string }
  | { readonly kind: 'feed'; readonly object: string; readonly record: string; readonly segment: number }
  | { readonly kind: 'workflow'; readonly object: string; readonly record: string }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'metadata'; readonly type: string; readonly uid: string }
  | { readonly kind: 'workspace'; readonly part: 'roster' | 'acl' }
  | RefusalName

/** What one device refused of what another one wrote: of a record with its texts, or of another document by its name. */
export interface RefusalName {
  readonly kind: 'refusal'
  /** The device that refused, and the one that wrote. */
  readonly by: string
  readonly writer: string
  /** Name of the document; that of its record for a text. */
  readonly target: string
}

/** Uids are hex digits; those of built-in items and ids of packages have letters, dots and dashes. */
const UID = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/
const TYPE = /^[a-z][a-z0-9_]{0,62}$/
const SEGMENT = /^(?:0|[1-9]\d{0,5})$/
const DEVICE = /^[A-Za-z0-9_-]{1,64}$/
/** No name is longer: three uids, a record id and slashes; the name of a refusal holds two devices and another name. */
const MAX_LENGTH = 512

/** The text of each name: a document that is written or merged asks for it a dozen times. */
const texts = new WeakMap<DocName, string>()

/**
 * The name of a document.
 * @throws RangeError when a part has not the form of its kind
 * @source sync.md section 3
 */
export function formatDocName(name: DocName): string {
  const known = texts.get(name)
  if (known !== undefined) return known
  const text = join(name)
  if (parse(text) === null) throw new RangeError(`No document can be named ${JSON.stringify(text)}.`)
  texts.set(name, text)
  return text
}

/** The parts of a document's name; null for everything that {@link formatDocName} does not make. */
export function parseDocName(text: string): DocName | null {
  const name = parse(text)
  if (name !== null) texts.set(name, text)
  return name
}

function parse(text: string): DocName | null {
  if (text.length > MAX_LENGTH) return null
  const parts = text.split('/')
  const [letter, first = '', second = '', third = ''] = parts
  switch (letter) {
    case 'r':
      return parts.length === 3 && isOfRecord(first, second) ? { kind: 'record', object: first, record: second } : null
    case 't':
      return parts.length === 4 && isOfRecord(first, second) && UID.test(third)
        ? { kind: 'text', object: first, record: second, field: third }
        : null
    case 'f':
      return parts.length === 4 && isOfRecord(first, second) && SEGMENT.test(third)
        ? { kind: 'feed', object: first, record: second, segment: Number(third) }
        : null
    case 'a':
      return parts.length === 3 && isOfRecord(first, second)
        ? { kind: 'workflow', object: first, record: second }
        : null
    case 'b':
      return parts.length === 2 && parseUuid(first) === first ? { kind: 'file', file: first } : null
    case 'm':
      return parts.length === 3 && TYPE.test(first) && UID.test(second)
        ? { kind: 'metadata', type: first, uid: second }
        : null
    case 'w':
      return parts.length === 2 && (first === 'roster' || first === 'acl') ? { kind: 'workspace', part: first } : null
    case 'x': {
      const target = parts.slice(3).join('/')
      const isOfDevices = DEVICE.test(first) && DEVICE.test(second)
      const kind = isOfDevices ? parse(target)?.kind : undefined
      const isTarget = kind !== undefined && kind !== 'refusal' && kind !== 'text'
      return isTarget ? { kind: 'refusal', by: first, writer: second, target } : null
    }
    default:
      return null
  }
}

function join(name: DocName): string {
  switch (name.kind) {
    case 'record':
      return `r/${name.object}/${name.record}`
    case 'text':
      return `t/${name.object}/${name.record}/${name.field}`
    case 'feed':
      return `f/${name.object}/${name.record}/${name.segment}`
    case 'workflow':
      return `a/${name.object}/${name.record}`
    case 'file':
      return `b/${name.file}`
    case 'metadata':
      return `m/${name.type}/${name.uid}`
    case 'workspace':
      return `w/${name.part}`
    case 'refusal':
      return `x/${name.by}/${name.writer}/${name.target}`
  }
}

function isOfRecord(object: string, record: string): boolean {
  return UID.test(object) && parseUuid(record) === record
}
