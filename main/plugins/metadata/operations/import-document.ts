// Reads what an import is given: an object, or a JSON or YAML text, into items and overlays. Pure.
// Nothing it reads may reach a prototype: keys such as `__proto__` are refused wherever they stand.
import { parseJsonText } from '#main/kernel/json-body.ts'
import type { MetadataState, MetadataType } from '#shared/contracts/metadata.ts'
import { metadataStates } from '#shared/contracts/metadata.ts'
import type { FieldError, FieldErrorCode } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import { checkBody, refusal } from '../service/check-input.ts'
import { memberOf } from '../service/json-values.ts'
import { findMetadataType } from '../types/type-entries.ts'
import { unknownType } from './type-words.ts'

/** One item of an import document. */
export interface ImportedItem {
  readonly type: MetadataType
  readonly name: string
  readonly namespace?: string
  readonly state?: MetadataState
  readonly item: Record<string, unknown>
}

/** What an import document holds. */
export interface ImportDocument {
  readonly items: readonly ImportedItem[]
  readonly overlays: readonly Record<string, unknown>[]
}

/** Most items one import takes. */
export const maxImportedItems = 5_000

/** Aliases a YAML text may resolve; each could repeat a large part of it. */
const maxAliases = 100

/** Reads the document. @throws validation_error with every problem of its outer form */
export async function readImportDocument(data: unknown): Promise<ImportDocument> {
  const document = typeof data === 'string' ? await parseText(data) : data
  if (document === undefined || document === null) throw refusal('data', 'required', 'A value is required.')
  const unsafe = checkBody(document)
  if (unsafe.length > 0) throw validationError(unsafe.map((one) => ({ ...one, field: join('data', one.field) })))
  if (!isJsonMap(document)) throw refusal('data', 'invalid_type', 'The data is an export document.')
  const version = memberOf(document, 'formatVersion')
  if (version !== undefined && version !== '1' && version !== 1) {
    throw refusal('data.formatVersion', 'invalid_option', 'Only format version 1 is understood.', { value: version })
  }
  const items = memberOf(document, 'items')
  if (!Array.isArray(items)) throw refusal('data.items', 'required', 'The data has a list of items.')
  if (items.length > maxImportedItems) {
    throw refusal('data.items', 'max_items', `An import takes at most ${maxImportedItems} items.`)
  }
  const problems: FieldError[] = []
  const read = items.flatMap((item: unknown, index) => readItem(item, `data.items.${index}`, problems))
  const overlays = memberOf(document, 'overlays') ?? []
  if (!Array.isArray(overlays) || !overlays.every(isJsonMap)) {
    problems.push({ field: 'data.overlays', code: 'invalid_type', message: 'The overlays are a list of objects.' })
  }
  if (problems.length > 0) throw validationError(problems)
  return { items: read, overlays: overlays as Record<string, unknown>[] }
}

function readItem(value: unknown, path: string, problems: FieldError[]): ImportedItem[] {
  const before = problems.length
  const report = (key: string, code: FieldErrorCode, message: string, given?: unknown): void => {
    problems.push({ field: join(path, key), code, message, ...(given === undefined ? {} : { value: given }) })
  }
  if (!isJsonMap(value)) {
    report('', 'invalid_type', 'An item is an object.')
    return []
  }
  const word = memberOf(value, 'type')
  const type = typeof word === 'string' ? findMetadataType(word) : undefined
  if (type === undefined) problems.push(unknownType(`${path}.type`, word))
  const name = memberOf(value, 'name')
  if (typeof name !== 'string')
    report('name', name === undefined ? 'required' : 'invalid_type', 'A name is text.', name)
  const item = memberOf(value, 'item')
  if (!isJsonMap(item)) report('item', item === undefined ? 'required' : 'invalid_type', 'The item is an object.')
  const namespace = memberOf(value, 'namespace') ?? undefined
  if (namespace !== undefined && typeof namespace !== 'string') {
    report('namespace', 'invalid_type', 'A namespace is text.', namespace)
  }
  const state = memberOf(value, 'state') ?? undefined
  if (state !== undefined && !(metadataStates as readonly unknown[]).includes(state)) {
    report('state', 'invalid_option', 'There is no such state.', state)
  }
  if (problems.length > before) return []
  return [{ type, name, namespace, state, item } as ImportedItem]
}

/** JSON when it is JSON, else YAML 1.2 in the core schema. @throws validation_error */
async function parseText(text: string): Promise<unknown> {
  if (/^\s*[[{]/.test(text)) {
    try {
      return parseJsonText(text)
    } catch (error) {
      // A YAML text may begin like JSON.
      if (!(error instanceof SyntaxError)) throw tooDeep()
    }
  }
  const { parseDocument } = await import('yaml')
  try {
    const document = parseDocument(text, {
      schema: 'core',
      version: '1.2',
      merge: false,
      stringKeys: true,
      prettyErrors: false,
    })
    const [problem] = document.errors
    if (problem === undefined) return document.toJS({ maxAliasCount: maxAliases })
    throw refusal('data', 'invalid_format', `The text is neither JSON nor YAML: ${problem.message}`)
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof ReferenceError)) throw error
    // Nesting beyond the stack, or aliases beyond the limit.
    throw tooDeep()
  }
}

function tooDeep(): ReturnType<typeof refusal> {
  return refusal('data', 'invalid_format', 'The text is nested too deeply or repeats itself too often.')
}

function join(path: string, key: string): string {
  return key === '' ? path : `${path}.${key}`
}
