// Owns the contract of a field type in the renderer: what every type offers to grid, form, filter and import.
// Knows no concrete type and no screen.

import type { TablerIcon } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { FieldDefinition } from './field-definition.ts'
import type { ShownFile } from './file-text.ts'
import type { FilterOperator } from './operators.ts'
import type { Translate } from './field-messages.ts'
import type { Setting } from './settings.ts'

/** A record offered while choosing a lookup. */
export interface RecordChoice {
  id: string
  label: string
}

/** Where and for whom values are shown; one object per screen, so that it can be compared by identity. */
export interface FieldContext {
  /** BCP 47 tag that formats numbers and dates. */
  locale: string
  /** IANA name of the workspace's zone, in which date-times are shown and typed. */
  timeZone: string
  translate: Translate
  /** Reads the text of a secret field; without it secrets cannot be revealed. */
  revealSecret?(object: string, id: string, field: string): Promise<string | null>
  /** Finds records of an object by text; without it lookups are edited by id. */
  searchRecords?(object: string, text: string, signal: AbortSignal, filter?: unknown): Promise<readonly RecordChoice[]>
  /** Adds a record of an object that is called by a text; without it, or where it says no, links lead to what is there. */
  addRecord?: { may(object: string): boolean; add(object: string, text: string): Promise<RecordChoice> }
}

/** Result of reading typed text: a value (null clears the field) or why it cannot be one. */
export type ParseResult = { ok: true; value: unknown } | { ok: false; message: string }

/** A piece of a cell that is drawn as a badge; the class name carries the colour. */
export interface Chip {
  text: string
  className: string
  /** A picture that is drawn small before the text. */
  picture?: ShownFile
}

/** What an editor is given. The draft is always text that `parse` reads, so nothing typed can be lost. */
export interface FieldEditorProps {
  field: FieldDefinition
  context: FieldContext
  /** Accessible name. */
  label: string
  draft: string
  /** Id of the record whose value is edited; absent for a new one. */
  recordId?: string
  /** The stored value when editing began; an editor may show what its draft stands for. */
  value: unknown
  onDraft(text: string): void
  /** Asks to keep the given draft and to close; only for editors in which choosing is finishing. */
  onDone(text: string): void
  invalid: boolean
  /** Id of the element that holds the error message. */
  describedBy?: string
  autoFocus?: boolean
}

/** The groups of types, in the order a person meets them. */
export const typeGroups = [
  'text',
  'number',
  'choice',
  'date',
  'relation',
  'computed',
  'structure',
  'file',
  'other',
] as const

/** Key of a group of types. */
export type TypeGroup = (typeof typeGroups)[number]

/**
 * What a type is called and what the screens do with it beyond showing and editing values, each asked in one place. What
 * an entry leaves out, its type does not do. Ranks say where it stands among the types that are offered, the smallest first.
 */
export interface FieldTypeTraits {
  group: TypeGroup
  label: string
  /** One line about what it holds. */
  hint: string
  /** What only its definitions have, in the order it is asked for. */
  settings?: readonly Setting[] | undefined
  /** A column of a table can become a field of it: values are written as text and need nothing else. */
  importRank?: number | undefined
  /** It is offered for the values inside of a group. */
  innerRank?: number | undefined
  /** A grid can be grouped by it. */
  groupRank?: number | undefined
  /** A summary can be grouped by it; the most telling have the smallest. */
  summaryRank?: number | undefined
  /** Days or instants. */
  dated?: true | undefined
  /** Numbers that are added up. */
  measured?: true | undefined
  /** A figure over values is itself written as a value. */
  figuresAsValues?: true | undefined
  /** Nothing is worked out over its values. */
  withoutFigures?: true | undefined
  /** Type of one of several values; a record stands in the group of each. */
  elementType?: string | undefined
  /** Where it leads: records of the object it names, of its own one, or people. */
  link?: 'object' | 'self' | 'user' | undefined
  /** Only ids are stored: what the host calls them is better. */
  namedByHost?: true | undefined
  /** The server works the value out or gives it. */
  derived?: true | undefined
  alwaysRequired?: true | undefined
  /** No default can be given on screen. */
  withoutDefault?: true | undefined
  /** The platform does not keep its values unique. */
  withoutUnique?: true | undefined
  /** Never shown once it is stored. */
  concealed?: true | undefined
  /** Its values cannot stand for a record. */
  namesNothing?: true | undefined
  /** A page shows its lines as they were written; a table one line. */
  shownAsWritten?: true | undefined
  /** Its values are files: a page shows them with small pictures, takes dropped ones, and looks at them. */
  files?: true | undefined
  /** Two values are compared by their words. */
  comparedByWord?: true | undefined
}

/** Everything the screens need to know about one type of field. */
export interface FieldType extends FieldTypeTraits {
  icon: TablerIcon
  /** The value as people read it; empty text for null. One line. */
  format(value: unknown, field: FieldDefinition, context: FieldContext): string
  /** Classes of a display cell; must be cheap, it runs for every cell drawn. */
  cellClass(value: unknown, field: FieldDefinition): string
  /** Badges to draw instead of the text; null for none. */
  chips?(value: unknown, field: FieldDefinition, context: FieldContext): readonly Chip[] | null
  /** The value as an editor starts with it: `parse` reads it back to an equal value. */
  toText(value: unknown, field: FieldDefinition, context: FieldContext): string
  /** The value as other programs are given it; default: as `toText`. */
  copyText?(value: unknown, field: FieldDefinition, context: FieldContext): string
  /** Reads typed or pasted text; blank text is null, and an error when the field is required. */
  parse(text: string, field: FieldDefinition, context: FieldContext): ParseResult
  /** The other value, for types that Enter flips instead of opening an editor. */
  toggle?(value: unknown): unknown
  /** Tells that people never write this field. */
  computed?: true | undefined
  /** Tells that the editor needs more room than the cell. */
  tall?: boolean
  /** Tells that typing on a cell adds to its value instead of replacing it. */
  typingAdds?: boolean
  operators(field: FieldDefinition): readonly FilterOperator[]
  Editor: ComponentType<FieldEditorProps>
}
