// Owns what form a configuration has: one control per property of its JSON Schema, and how values are written as text.
// Pure.
import { isStringKey, t } from '../../lib/strings.ts'
import { holdsGraph, holdsGraphs } from './flow-bodies.ts'

/** The kinds of controls. */
export type ControlKind =
  | 'text'
  | 'long'
  | 'number'
  | 'flag'
  | 'choice'
  | 'choices'
  | 'words'
  | 'map'
  | 'object'
  | 'expression'
  | 'group'
  | 'rows'
  | 'body'
  | 'bodies'
  | 'json'

/** A property of a configuration. */
export interface Control {
  name: string
  label: string
  kind: ControlKind
  required: boolean
  choices: readonly string[]
  /** Of what its parts are: of a group, or of each of the rows. */
  schema: Schema
}

type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
const expressions: ReadonlySet<string> = new Set(['expression', 'condition'])
const longTexts: ReadonlySet<string> = new Set(['body', 'message', 'source', 'prompt'])

/** The controls of a configuration in the order of its schema. */
export function controlsOf(schema: Schema): Control[] {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {}
  const required = stringsOf(schema['required'])
  return Object.entries(properties).map(([name, given]) => {
    const property = isSchema(given) ? given : {}
    const items = isSchema(property['items']) ? property['items'] : {}
    return {
      name,
      label: labelOf(name),
      kind: kindOf(name, property),
      // What has a default may be left out.
      required: required.includes(name) && !('default' in property),
      choices: stringsOf(property['enum'] ?? items['enum']),
      schema: property['type'] === 'array' ? items : property,
    }
  })
}

function kindOf(name: string, property: Schema): ControlKind {
  const { type } = property
  const holdsText = type === 'string' || JSON.stringify(property).includes('"type":"string"')
  if (holdsGraph(property)) return 'body'
  if (holdsGraphs(property)) return 'bodies'
  if (property['enum'] !== undefined) return 'choice'
  if (type === 'boolean') return 'flag'
  if (type === 'integer' || type === 'number') return 'number'
  if (expressions.has(name) && holdsText && property['properties'] === undefined) return 'expression'
  if (type === 'string') return name === 'object' ? 'object' : longTexts.has(name) ? 'long' : 'text'
  if (type === 'array') {
    const items = isSchema(property['items']) ? property['items'] : {}
    if (hasParts(items)) return 'rows'
    return items['enum'] !== undefined ? 'choices' : items['type'] === 'string' ? 'words' : 'json'
  }
  if (hasParts(property)) return 'group'
  const isMap = type === 'object' && property['properties'] === undefined
  return isMap ? 'map' : 'json'
}

function hasParts({ type, properties }: Schema): boolean {
  return type === 'object' && isSchema(properties) && Object.keys(properties).length > 0
}

/** What a property is called; one of somebody's own type by its name in words: `matchFields` becomes “Match fields”. */
export function labelOf(name: string): string {
  const key = `step.set.${name}`
  if (isStringKey(key)) return t(key)
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A value as text: what is no text is JSON, and so is text that would be read as something else. */
export function textOfValue(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return JSON.stringify(value)
  return value === '' || typeof valueOfText(value) !== 'string' || value.startsWith('"') ? JSON.stringify(value) : value
}

/** A value out of text: JSON where it is some, else the text itself; nothing typed is no value. */
export function valueOfText(text: string): unknown {
  const typed = text.trim()
  if (typed === '') return undefined
  if (!/^(["[{\d-]|true$|false$|null$)/.test(typed)) return text
  try {
    return JSON.parse(typed) as unknown
  } catch {
    return text // a template such as {{ record.title }} begins like JSON and is none
  }
}

/** A value as its control shows it. */
export function writtenAs(kind: ControlKind, value: unknown): string {
  if (value === undefined) return ''
  if (kind === 'words' && isListOfWords(value)) return value.join(', ')
  if (kind === 'json') return typeof value === 'string' ? textOfValue(value) : JSON.stringify(value, null, 2)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The value out of what a control shows. */
export function readAs(kind: ControlKind, text: string): unknown {
  if (text.trim() === '') return undefined
  // What is no number goes to the host as it is: it may be a template, and else the host says what is wrong.
  if (kind === 'json' || kind === 'number') return valueOfText(text)
  if (kind !== 'words') return text
  // Words that a comma or a brace would take apart are a list as JSON; else a template makes the list.
  const value = text.trim().startsWith('[') ? valueOfText(text) : text
  if (typeof value !== 'string' || text.includes('{{')) return value
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

function isListOfWords(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((word) => typeof word === 'string' && word !== '' && word.trim() === word && !/[,{]|^\[/.test(word))
  )
}
