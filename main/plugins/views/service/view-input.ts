// Reads the bodies that create and change views: the wrapped, the bare and the older spellings of D-115, and makes their
// keys. Pure.
import { normalForm } from '#shared/normal-form.ts'
import { validationError } from '#shared/errors.ts'
import type { ViewKind } from '#shared/contracts/views.ts'
import { listTypes, formTypes, viewKinds } from '#shared/contracts/views.ts'

type Map = Readonly<Record<string, unknown>>

/** Members of a stored view that a caller may set; everything else in a bare body is configuration. */
const viewKeys = new Set(['key', 'label', 'config', 'isDefault', 'order', 'scope', 'hidden', 'description'])
/** What an answer says beside them. */
const shownKeys = new Set(['object', 'viewKind', 'id', 'viewId', 'owner', 'generated'])

/** What a body says of a view. */
export interface ViewInput {
  readonly object: string | undefined
  readonly viewKind: ViewKind | undefined
  /** What the configuration of a kind calls the view; counts for a new one that is named nowhere else. */
  readonly named: { readonly label: string | undefined; readonly key: string | undefined }
  /** Members of the item, among them `config` when any was given. */
  readonly members: Map
}

/**
 * Reads a body. `data` may hold the view or only its configuration, and so may the body itself; a member `list` or `form` is the configuration of
 * that kind, and may name the view where nothing around it does.
 * @throws validation_error for a kind that is neither list nor form, or for a configuration of another kind
 */
export function readViewInput(body: Map): ViewInput {
  const { data, ...outer } = body
  const inner = isMap(data) ? data : {}
  const object = textOf(outer, 'object') ?? textOf(inner, 'object')
  const given = kindOf(outer) ?? kindOf(inner)
  const sectioned = viewKinds.filter((kind) => isMap(inner[kind]) || isMap(outer[kind]))
  const viewKind = given ?? sectioned[0]
  const other = sectioned.find((kind) => kind !== viewKind)
  if (other !== undefined) {
    throw validationError([
      { field: other, code: 'not_allowed', message: `This view is a ${viewKind}; make one per kind.` },
    ])
  }
  // A body of one level holds its configuration beside the members.
  const isFlat = data === undefined && outer['config'] === undefined && sectioned.length === 0
  const holder = isFlat ? outer : inner
  const members: Record<string, unknown> = {}
  let config: Record<string, unknown> | undefined
  for (const source of [inner, outer]) {
    for (const [key, value] of Object.entries(source)) {
      if (key === 'config') config = { ...config, ...requireMap(value, key) }
      else if (isKind(key)) config = { ...config, ...requireMap(value, key) }
      else if (viewKeys.has(key)) members[key] = value
      else if (key === 'name' && typeof value === 'string') members['key'] ??= keyOf(value)
      else if (isConfigKey(source, holder, key)) config = { ...config, [key]: value }
    }
  }
  const section = sectioned.length === 0 ? {} : { ...config }
  const name = textOf(section, 'name')
  const named = { label: textOf(section, 'label'), key: name === undefined ? undefined : keyOf(name) }
  return { object, viewKind, named, members: config === undefined ? members : { ...members, config } }
}

/** The key within a name `object.key`. */
function keyOf(name: string): string {
  return name.slice(name.indexOf('.') + 1)
}

/** In `data`, and in a body of one level, what is no member of a view belongs to its configuration. */
function isConfigKey(source: Map, holder: Map, key: string): boolean {
  if (source !== holder) return key === 'type' && !isKind(source[key]) && source[key] !== undefined
  if (shownKeys.has(key)) return false
  return key !== 'type' || !isKind(holder[key])
}

function kindOf(source: Map): ViewKind | undefined {
  for (const key of ['viewKind', 'type']) {
    const value = source[key]
    if (value === undefined || value === null) continue
    if (isKind(value)) return value
    // `type` may as well name the kind of list, as it does inside a configuration.
    if (key === 'type' && typeof value === 'string' && isLayout(value)) continue
    throw validationError([
      { field: key, code: 'invalid_option', message: 'A view is a list or a form.', value, constraint: viewKinds },
    ])
  }
  return undefined
}

function isLayout(value: string): boolean {
  return (listTypes as readonly string[]).includes(value) || (formTypes as readonly string[]).includes(value)
}

function isKind(value: unknown): value is ViewKind {
  return (viewKinds as readonly unknown[]).includes(value)
}

function requireMap(value: unknown, field: string): Map {
  if (isMap(value)) return value
  throw validationError([{ field, code: 'invalid_type', message: 'The configuration must be an object.', value }])
}

function textOf(source: Map, key: string): string | undefined {
  const value = source[key]
  return typeof value === 'string' ? value : undefined
}

function isMap(value: unknown): value is Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The first free key of the form of D-09 that reads like the label; the kind where the label has no usable letters.
 * @param taken whether a key is in use
 */
export function freeKey(label: string, fallback: string, taken: (key: string) => boolean): string {
  const words = normalForm(label, 'NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_+$/g, '')
    .slice(0, 50)
  const base = words === '' ? fallback : words
  for (let n = 1; ; n++) {
    const key = n === 1 ? base : `${base}_${n}`
    if (!taken(key)) return key
  }
}
