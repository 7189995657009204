// Finds the records that words of a question name: words no rule knows are looked for among the titles of related records,
// and of the records themselves.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { userDirectory } from '#shared/user-directory.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { Found } from './date-words.ts'
import { phraseAt } from './date-words.ts'
import type { Draft } from './draft.ts'
import { addCondition, use } from './draft.ts'
import { fillers, negationWords } from './vocabulary.ts'
import { stemsOf } from './words.ts'

/** A run of words nobody has accounted for. */
interface Run {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly isQuoted: boolean
}

/** Most runs that are looked up, and words of one. */
const maxRuns = 4
const maxRunWords = 6

/** Adds conditions for the titles a draft leaves over; only what the caller may read is found. */
export async function findTitles(data: DataService, ctx: RequestContext, draft: Draft): Promise<void> {
  for (const whole of runsOf(draft).slice(0, maxRuns)) {
    const lead = relationAt(draft, whole)
    const run = lead === null ? whole : afterLead(whole, lead.end, draft)
    const relation = lead?.value ?? relationBefore(draft, run.from)
    const relations = relation === null ? relationsOf(draft) : [relation]
    const hits: { field: FieldSchema; target: ObjectSchema; isExact: boolean }[] = []
    for (const field of relations) {
      const target = draft.of.targetOf(field)!
      const found = await match(data, ctx, draft, field, target, run.text)
      if (found !== null) hits.push({ field, target, isExact: found === 'exact' })
    }
    const best = hits.find(({ isExact }) => isExact) ?? hits[0]
    if (best !== undefined) {
      addRelated(draft, run, best, hits.length > 1)
      use(draft, whole.from, run.to)
      continue
    }
    if (!(await findValue(data, ctx, draft, run))) await findOwn(data, ctx, draft, run)
  }
}

function addRelated(
  draft: Draft,
  run: Run,
  { field, target, isExact }: { field: FieldSchema; target: ObjectSchema; isExact: boolean },
  isAmbiguous: boolean,
): void {
  const path = `${field.name}.${target.displayField.name}`
  const isNegated = run.from > 0 && phraseAt(draft.words, run.from - 1, negationWords) !== null
  const condition = isExact ? { $eq: run.text } : { $contains: run.text }
  const filter = isNegated ? { $not: { [path]: condition } } : { [path]: condition }
  if (!isExact) draft.trust *= 0.85
  if (isAmbiguous) draft.trust *= 0.7
  addCondition(draft, { field: null, filter, text: `${field.label} is ${isNegated ? 'not ' : ''}${run.text}` }, false)
  use(draft, run.from, run.to)
  const named = relationPlace(draft, field, run.from)
  if (named !== null) use(draft, named.from, named.to)
}

/** Whether a related record of the object's records has that title: the same but for case, or one that holds it. */
async function match(
  data: DataService,
  ctx: RequestContext,
  draft: Draft,
  field: FieldSchema,
  target: ObjectSchema,
  text: string,
): Promise<'exact' | 'part' | null> {
  const display = target.displayField
  if (fieldTypeOf(display).collation !== 'text') return null
  try {
    if (target === userDirectory) return await matchThrough(data, ctx, draft, field, display.name, text)
    const page = await data.find(ctx, target.name, {
      filter: { [display.name]: { $contains: text } },
      select: display.name,
      top: 20,
    })
    const titles = page.records.map((record) => String(record[display.name]))
    if (titles.length === 0) return null
    return titles.includes(text) ? 'exact' : 'part'
  } catch {
    // The caller may not read it, or it takes too long: then it is no title.
    return null
  }
}

/** People are in no list, so they are looked for through the records that name them. */
async function matchThrough(
  data: DataService,
  ctx: RequestContext,
  { of }: Draft,
  field: FieldSchema,
  display: string,
  text: string,
): Promise<'part' | null> {
  const page = await data.find(ctx, of.schema.name, {
    filter: { [`${field.name}.${display}`]: { $contains: text } },
    top: 1,
  })
  return page.records.length > 0 ? 'part' : null
}

/** Most fields whose values are looked at. */
const maxValueFields = 8

/** Words that are the whole value of a field somewhere, such as a city. @returns whether there is such a field */
async function findValue(data: DataService, ctx: RequestContext, draft: Draft, run: Run): Promise<boolean> {
  const fields = draft.of.fields.filter((field) => {
    const { flags, collation } = fieldTypeOf(field)
    const isPlain = !field.system && !field.multiple && field.options.length === 0
    return isPlain && collation === 'text' && flags.groupable && field !== draft.of.schema.displayField
  })
  const hits: { field: FieldSchema; value: string }[] = []
  for (const field of fields.slice(0, maxValueFields)) {
    const filter = { [field.name]: { $startsWith: run.text } }
    const page = await data.find(ctx, draft.of.schema.name, { filter, select: field.name, top: 20 }).catch(() => null)
    const value = page?.records.map((record) => String(record[field.name])).find((one) => isSame(one, run.text))
    if (value !== undefined) hits.push({ field, value })
  }
  const [hit] = hits
  if (hit === undefined) return false
  const { field, value } = hit
  if (hits.length > 1) draft.trust *= 0.7
  const condition = {
    field,
    filter: { [field.name]: value },
    text: `${field.label} is ${value}`,
    equals: { value, label: value },
  }
  addCondition(draft, condition, false)
  use(draft, run.from, run.to)
  return true
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** Words that stand in titles of the records themselves; quoted ones are looked for even where there are none. */
async function findOwn(data: DataService, ctx: RequestContext, draft: Draft, run: Run): Promise<void> {
  const { displayField } = draft.of.schema
  if (fieldTypeOf(displayField).collation !== 'text' || !draft.of.fields.includes(displayField)) return
  const filter = { [displayField.name]: { $contains: run.text } }
  const page = await data.find(ctx, draft.of.schema.name, { filter, top: 1 }).catch(() => null)
  if (page === null || (page.records.length === 0 && !run.isQuoted)) return
  draft.trust *= run.isQuoted ? 0.9 : 0.75
  addCondition(draft, { field: displayField, filter, text: `${displayField.label} contains "${run.text}"` }, false)
  use(draft, run.from, run.to)
}

function runsOf({ words, used }: Draft): Run[] {
  const runs: Run[] = []
  for (let at = 0; at < words.length; at += 1) {
    if (used.has(at) || words[at]!.kind === 'sign') continue
    let to = at + 1
    const isQuoted = words[at]!.kind === 'text'
    while (!isQuoted && to < words.length && !used.has(to) && words[to]!.kind !== 'text' && to - at < maxRunWords)
      to += 1
    const text = words
      .slice(at, to)
      .map(({ raw }) => raw)
      .join(' ')
    if (isQuoted || !words.slice(at, to).every(({ stem }) => fillers.has(stem)))
      runs.push({ from: at, to, text, isQuoted })
    at = to - 1
  }
  return runs
}

function relationsOf({ of }: Draft): FieldSchema[] {
  const relations = of.fields.filter((field) => of.targetOf(field) !== undefined)
  const own = relations.filter((field) => !field.system && field.type !== 'user')
  const people = relations.filter((field) => field.type === 'user' && (!field.system || field.name === 'owner'))
  return [...own, ...people]
}

/** The relation a run begins with, by its own name or that of its object: "project Apollo". */
function relationAt(draft: Draft, run: Run): Found<FieldSchema> | null {
  if (run.isQuoted) return null
  for (const field of relationsOf(draft)) {
    const target = draft.of.targetOf(field)!
    const names = [field.label, field.name, target.label, target.pluralLabel].map((name) => ({
      stems: stemsOf(name),
      means: field,
    }))
    const found = phraseAt(draft.words, run.from, names)
    if (found !== null && found.end < run.to) return found
  }
  return null
}

function afterLead(run: Run, from: number, { words }: Draft): Run {
  const text = words
    .slice(from, run.to)
    .map(({ raw }) => raw)
    .join(' ')
  return { ...run, from, text }
}

/** The relation whose name, or whose object's name, stands right before a place: "project Apollo". */
function relationBefore(draft: Draft, at: number): FieldSchema | null {
  return relationsOf(draft).find((field) => relationPlace(draft, field, at) !== null) ?? null
}

function relationPlace({ words, of }: Draft, field: FieldSchema, at: number): { from: number; to: number } | null {
  for (let from = at - 1; from >= Math.max(0, at - 4); from -= 1) {
    const found = phraseAt(words, from, of.fieldPhrases)
    if (found !== null && found.value === field && isBridge(words, found.end, at)) return { from, to: found.end }
  }
  return null
}

function isBridge(words: Draft['words'], from: number, to: number): boolean {
  return words.slice(from, to).every(({ stem }) => fillers.has(stem))
}
