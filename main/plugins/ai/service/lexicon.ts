// What a caller's objects, fields and options are called: labels, names, and labels of the caller's language.
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { operatorClasses } from '#shared/field-types/operator-classes.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { PermissionsService } from '#main/plugins/permissions/api.ts'
import type { Phrase } from './vocabulary.ts'
import { phrases, systemFieldWords } from './vocabulary.ts'
import { stemsOf } from './words.ts'

/** An option of a field. */
export interface OptionWord {
  readonly field: FieldSchema
  readonly value: string
  readonly label: string
}

/** The words of one object. */
export interface ObjectWords {
  readonly schema: ObjectSchema
  /** Fields the caller may read and ask for. */
  readonly fields: readonly FieldSchema[]
  readonly fieldPhrases: readonly Phrase<FieldSchema>[]
  readonly optionPhrases: readonly Phrase<OptionWord>[]
  /** The object a relation field leads to, as far as the caller may read it. */
  targetOf(field: FieldSchema): ObjectSchema | undefined
}

/** The words of everything a caller may read. */
export interface Lexicon {
  readonly objects: readonly ObjectSchema[]
  readonly objectPhrases: readonly Phrase<ObjectSchema>[]
  of(schema: ObjectSchema): ObjectWords
}

/** What the lexicon is made from. */
export interface LexiconParts {
  readonly metadata: MetadataService
  readonly permissions: Pick<PermissionsService, 'visibleObjects'>
}

/** Makes the lexicon of a caller. */
export function lexiconOf({ metadata, permissions }: LexiconParts, ctx: RequestContext): Lexicon {
  const visible = permissions.visibleObjects(ctx)
  const objects = [...visible.byName.values()].map(({ schema }) => schema).filter(({ active }) => active)
  const labels = metadata.translations(ctx.locale).objects as Labels | undefined
  return {
    objects,
    objectPhrases: sorted(
      objects.flatMap((schema) => {
        const own = labels?.[schema.name]
        return spellings(schema, [schema.label, schema.pluralLabel, schema.name, own?.label, own?.pluralLabel])
      }),
    ),
    of(schema) {
      const fields = (visible.byName.get(schema.name)?.fields ?? []).filter(isAsked)
      const own = labels?.[schema.name]?.fields
      const named = fields
        .filter((field) => !field.system)
        .flatMap((field) => spellings(field, [field.label, field.name, own?.[field.name]?.label]))
      const system = systemFieldWords.flatMap(([name, words]) => {
        const field = fields.find((candidate) => candidate.name === name)
        return field === undefined ? [] : phrases([field, words])
      })
      const options = fields.flatMap((field) =>
        field.options.flatMap(({ value, label }) =>
          spellings({ field, value, label }, [label, value, own?.[field.name]?.options?.[value]]),
        ),
      )
      return {
        schema,
        fields,
        // What the object calls something comes before what the platform calls it.
        fieldPhrases: sorted([...named, ...system]),
        optionPhrases: sorted(options),
        targetOf: visible.targetOf,
      }
    },
  }
}

/** Whether a field holds one plain number. */
export function isNumber(field: FieldSchema): boolean {
  return !field.system && !field.multiple && fieldTypeOf(field).flags.aggregatable === 'all'
}

/** Whether a field holds a day or an instant. */
export function isDay(field: FieldSchema): boolean {
  const { calendar } = fieldTypeOf(field)
  return calendar === 'date' || calendar === 'datetime'
}

/** Whether a field is true or false. */
export function isFlag(field: FieldSchema): boolean {
  return fieldTypeOf(field).storage === 'boolean'
}

type Labels = Readonly<
  Record<
    string,
    {
      readonly label?: string
      readonly pluralLabel?: string
      readonly fields?: Readonly<
        Record<string, { readonly label?: string; readonly options?: Readonly<Record<string, string>> }>
      >
    }
  >
>

/** Concealed and computed-on-reading fields answer no condition. */
function isAsked(field: FieldSchema): boolean {
  const type = fieldTypeOf(field)
  return type.concealed === undefined && operatorClasses[type.operators(field)].has('$null')
}

function spellings<T>(means: T, labels: readonly (string | undefined)[]): Phrase<T>[] {
  const seen = new Set<string>()
  return labels.flatMap((label) => {
    const stems = label === undefined ? [] : stemsOf(label)
    const key = stems.join(' ')
    if (stems.length === 0 || stems.some((stem) => stem === '') || seen.has(key)) return []
    seen.add(key)
    return [{ stems, means }]
  })
}

function sorted<T>(list: readonly Phrase<T>[]): Phrase<T>[] {
  return list.toSorted((a, b) => b.stems.length - a.stems.length)
}
