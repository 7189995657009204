// Owns which settings a field of each type has and how they are read and written in its definition. Pure; the words are
// in strings/designer.ts under `setting.<key>`.
import type { FieldItem } from './object-item.ts'

/** How a setting is entered. */
export type SettingKind =
  | 'text'
  | 'integer'
  | 'number'
  | 'flag'
  | 'words'
  | 'choice'
  | 'object'
  | 'objects'
  | 'options'
  | 'formula'
  | 'summary'
  | 'inner'

/** One setting of a type. */
export interface Setting {
  /** Path in the definition, dotted below nested settings. */
  path: string
  kind: SettingKind
  /** Values of a choice; the first is what applies when none is given. */
  choices?: readonly string[]
  /** The platform refuses the definition without it. */
  needed?: boolean
}

const one = (path: string, kind: SettingKind, more: Partial<Setting> = {}): Setting => ({ path, kind, ...more })

const lengths = [one('minLength', 'integer'), one('maxLength', 'integer'), one('pattern', 'text')]
const long = [one('minLength', 'integer'), one('maxLength', 'integer')]
const scale = [one('min', 'number'), one('max', 'number'), one('step', 'number')]
const days = [one('min', 'text'), one('max', 'text')]
const options = [one('options', 'options', { needed: true })]
const severalOptions = [...options, one('maxItems', 'integer')]
const reference = one('reference', 'object', { needed: true })
const behavior = (...choices: string[]): Setting => one('deleteBehavior', 'choice', { choices })
const files = [
  one('multiple', 'flag'),
  one('fileAttachmentConfig.maxSize', 'integer'),
  one('fileAttachmentConfig.allowedTypes', 'words'),
]
const concealed = [one('minLength', 'integer')]

const byType: Readonly<Record<string, readonly Setting[]>> = {
  text: lengths,
  textarea: lengths,
  markdown: long,
  html: long,
  richtext: long,
  code: [one('language', 'text'), ...long],
  url: [one('schemes', 'words')],
  number: [one('scale', 'integer'), one('min', 'number'), one('max', 'number')],
  currency: [
    one('currencyConfig.currencyMode', 'choice', { choices: ['fixed', 'dynamic'] }),
    one('currencyConfig.defaultCurrency', 'text'),
    one('currencyConfig.precision', 'integer'),
    one('min', 'number'),
    one('max', 'number'),
  ],
  percent: [one('scale', 'integer'), one('min', 'number'), one('max', 'number')],
  progress: scale,
  slider: scale,
  rating: [one('maxRating', 'integer'), one('allowHalf', 'flag')],
  date: days,
  datetime: days,
  select: options,
  radio: options,
  multiselect: severalOptions,
  checkboxes: severalOptions,
  tags: [one('maxItems', 'integer')],
  lookup: [reference, one('multiple', 'flag'), behavior('set_null', 'restrict', 'cascade')],
  master_detail: [reference, behavior('cascade', 'restrict')],
  tree: [behavior('set_null', 'restrict', 'cascade')],
  user: [one('multiple', 'flag')],
  record: [one('references', 'objects')],
  file: files,
  image: files,
  avatar: files,
  video: files,
  audio: files,
  signature: files,
  formula: [
    one('expression', 'formula', { needed: true }),
    one('returnType', 'choice', { choices: ['', 'text', 'number', 'boolean', 'date', 'datetime'] }),
  ],
  summary: [one('summaryOperations', 'summary', { needed: true })],
  autonumber: [one('autonumberFormat', 'text'), one('startNumber', 'integer')],
  address: [one('addressFormat', 'text')],
  composite: [one('fields', 'inner', { needed: true })],
  repeater: [one('fields', 'inner', { needed: true }), one('minItems', 'integer'), one('maxItems', 'integer')],
  color: [one('colorFormat', 'choice', { choices: ['hex', 'rgb', 'rgba', 'hsl'] })],
  qrcode: [one('barcodeFormat', 'text')],
  password: concealed,
  secret: concealed,
  vector: [one('vectorConfig.dimensions', 'integer', { needed: true })],
}

/** The settings only fields of this type have, in the order they are asked for. */
export function settingsOf(type: string): readonly Setting[] {
  return byType[type] ?? []
}

const computed = new Set(['formula', 'summary', 'autonumber'])
const fileTypes = ['file', 'image', 'avatar', 'video', 'audio', 'signature']
const withoutDefault = new Set([
  ...computed,
  ...fileTypes,
  ...['lookup', 'master_detail', 'tree', 'record', 'user'],
  ...['composite', 'repeater', 'password', 'secret', 'vector'],
])
const withoutUnique = new Set([
  ...['password', 'secret', 'vector', 'composite', 'repeater', 'json', 'address', 'location', 'record'],
  ...fileTypes,
  ...computed,
])

/** Whether people may say that a value is required. */
export function canBeRequired(type: string): boolean {
  return !computed.has(type) && type !== 'master_detail'
}

/** Whether the platform can keep values of the type unique. */
export function canBeUnique(type: string): boolean {
  return !withoutUnique.has(type)
}

/** Whether a default can be given on screen. */
export function canHaveDefault(type: string): boolean {
  return !withoutDefault.has(type)
}

/** The value of a setting; undefined when the definition has none. */
export function readSetting(item: Readonly<Record<string, unknown>>, path: string): unknown {
  let value: unknown = item
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** The definition with a setting changed; undefined takes it out, and a group that is left empty goes with it. */
export function writeSetting(item: FieldItem, path: string, value: unknown): FieldItem {
  return write(item, path.split('.'), value) as FieldItem
}

function write(item: Readonly<Record<string, unknown>>, path: readonly string[], value: unknown): object {
  const [key = '', ...rest] = path
  const { [key]: before, ...others } = item
  if (rest.length === 0) return value === undefined ? others : { ...item, [key]: value }
  const group = typeof before === 'object' && before !== null ? (before as Record<string, unknown>) : {}
  const next = write(group, rest, value)
  return Object.keys(next).length === 0 ? others : { ...item, [key]: next }
}

const ownKeys: ReadonlySet<string> = new Set(
  Object.values(byType)
    .flat()
    .map((setting) => setting.path.split('.')[0] ?? ''),
)

/** Whether a setting means the same for both types: bounds of numbers are not bounds of days. */
function carriesOver(from: string, to: string, key: string): boolean {
  const kindIn = (type: string): SettingKind | undefined =>
    settingsOf(type).find((setting) => setting.path.split('.')[0] === key)?.kind
  return kindIn(to) !== undefined && kindIn(from) === kindIn(to)
}

/** The definition with another type: what only the former type read is left out, everything else stays. */
export function withType(item: FieldItem, type: string): FieldItem {
  if (type === item.type) return item
  const kept = Object.entries(item).filter(([key]) => {
    if (key === 'defaultValue') return false
    if (key === 'unique') return canBeUnique(type)
    if (key === 'required') return canBeRequired(type)
    return !ownKeys.has(key) || carriesOver(item.type, type, key)
  })
  return { ...(Object.fromEntries(kept) as FieldItem), type }
}

/** The settings a definition still needs before the platform takes it. */
export function missingSettings(item: FieldItem): Setting[] {
  return settingsOf(item.type).filter(({ path, needed }) => {
    if (!needed) return false
    const value = readSetting(item, path)
    if (path === 'summaryOperations') return !isSummaryComplete(value)
    if (Array.isArray(value)) return value.length === 0
    if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
    return value === undefined || value === ''
  })
}

function isSummaryComplete(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { object, field, function: name } = value as { object?: string; field?: string; function?: string }
  return Boolean(object) && Boolean(name) && (name === 'count' || Boolean(field))
}
