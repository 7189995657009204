// Puts the labels of a language into an item, and takes them out of one that comes back (D-103, D-180). Pure.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { isJsonMap, isSameJson } from '#shared/merge-patch.ts'
import type { TranslationTree } from '../api.ts'
import { splitChildName } from './field-items.ts'
import type { Body } from './json-values.ts'
import { fieldsOf, mapAt, textOf } from './json-values.ts'

const itemWords = ['label', 'description'] as const
const objectWords = ['label', 'pluralLabel', 'description'] as const
const fieldWords = ['label', 'help', 'inlineHelpText', 'placeholder', 'description'] as const
const actionWords = ['label', 'description', 'confirmText', 'successMessage'] as const

/** The item's body with the labels of the language; the body itself when the language says nothing of it. */
export function localise(
  item: { readonly type: MetadataType; readonly name: string },
  body: Body,
  tree: TranslationTree,
): Body {
  const { type, name } = item
  const parts = splitChildName(name)
  const ofParent = mapAt(mapAt(tree, 'objects'), parts?.parent ?? wordAt(body, 'object'))
  const key = parts?.child ?? name
  switch (type) {
    case 'object':
      return localiseObject(body, mapAt(mapAt(tree, 'objects'), name))
    case 'field':
      return localiseField(body, fieldsOf(ofParent), key)
    case 'view':
      return withWords(body, entryAt(mapAt(ofParent, 'views'), key), itemWords)
    case 'action': {
      const own = mapAt(ofParent, 'actions')
      return withWords(body, entryAt(Object.hasOwn(own, key) ? own : mapAt(tree, 'actions'), key), actionWords)
    }
    case 'validation':
      return withMessage(body, mapAt(tree, 'validationMessages'), name)
    case 'app':
      return localiseApp(body, mapAt(mapAt(tree, 'apps'), name))
    default:
      return withWords(body, entryAt(mapAt(tree, `${type}s`), name), itemWords)
  }
}

/**
 * A body that was read in a language and comes back, with the labels its author did not touch as they are stored.
 * @param stored the body as it is without any language
 * @param shown the same with the labels of the language
 */
export function unlocalise(body: unknown, stored: unknown, shown: unknown): unknown {
  if (shown === stored || isSameJson(shown, stored)) return body
  if (isSameJson(body, shown)) return stored
  if (isJsonMap(body) && isJsonMap(shown) && isJsonMap(stored)) {
    return Object.fromEntries(
      Object.entries(body).flatMap(([key, value]): [string, unknown][] => {
        if (!Object.hasOwn(shown, key)) return [[key, value]]
        if (Object.hasOwn(stored, key)) return [[key, unlocalise(value, stored[key], shown[key])]]
        return isSameJson(value, shown[key]) ? [] : [[key, value]]
      }),
    )
  }
  if (Array.isArray(body) && Array.isArray(shown) && Array.isArray(stored)) {
    return body.map((entry: unknown) => {
      const at = shown.findIndex(
        (one) => isSameJson(one, entry) || (keyOf(one) !== null && keyOf(one) === keyOf(entry)),
      )
      return at === -1 ? entry : unlocalise(entry, stored[at], shown[at])
    })
  }
  return body
}

function localiseObject(body: Body, labels: Body): Body {
  if (Object.keys(labels).length === 0) return body
  const fields = fieldsOf(body)
  const names = fieldsOf(labels)
  return {
    ...withWords(body, labels, objectWords),
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        isJsonMap(field) ? localiseField(field, names, name) : field,
      ]),
    ),
  }
}

function localiseField(field: Body, fields: Body, name: string): Body {
  const labels = entryAt(fields, name)
  const named = withWords(field, labels, fieldWords)
  const texts = mapAt(labels, 'options')
  const { options } = field
  if (!Array.isArray(options) || Object.keys(texts).length === 0) return named
  return {
    ...named,
    options: options.map((option: unknown) => {
      const value = isJsonMap(option) ? option['value'] : option
      const label = typeof value === 'string' ? wordAt(texts, value) : ''
      if (label === '') return option
      return isJsonMap(option) ? { ...option, label } : { value, label }
    }),
  }
}

function localiseApp(body: Body, labels: Body): Body {
  const texts = mapAt(labels, 'navigation')
  const rename = (entries: unknown): unknown =>
    Array.isArray(entries)
      ? entries.map((entry: unknown) => {
          if (!isJsonMap(entry)) return entry
          const label = wordAt(texts, wordAt(entry, 'id'))
          return {
            ...entry,
            ...(label === '' ? {} : { label }),
            ...(Object.hasOwn(entry, 'children') ? { children: rename(entry['children']) } : {}),
          }
        })
      : entries
  const named = withWords(body, labels, itemWords)
  return Object.keys(texts).length === 0 ? named : { ...named, navigation: rename(body['navigation']) }
}

function withMessage(body: Body, messages: Body, name: string): Body {
  const message = wordAt(messages, name)
  return message === '' ? body : { ...body, message }
}

function withWords(body: Body, labels: Body, words: readonly string[]): Body {
  const found = words.map((word) => [word, wordAt(labels, word)] as const).filter(([, text]) => text !== '')
  return found.length === 0 ? body : { ...body, ...Object.fromEntries(found) }
}

/** Labels of one thing; a text alone is its label. */
function entryAt(map: Body, key: string): Body {
  const label = wordAt(map, key)
  return label === '' ? mapAt(map, key) : { label }
}

/** What makes an entry of a list the same one in another language. */
function keyOf(entry: unknown): string | null {
  if (typeof entry === 'string') return entry
  if (!isJsonMap(entry)) return null
  return wordAt(entry, 'value') || wordAt(entry, 'id') || null
}

function wordAt(map: Body, key: string): string {
  return textOf(map, key) ?? ''
}
