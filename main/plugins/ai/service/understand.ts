// Understands a question about records by rules: walks over its words, takes the longest phrase known at each place, and
// notes what was guessed. Titles of related records are looked up afterwards (titles.ts).
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import { dueField, onlyDay, onlyNumber, personField, unfinished, verbField } from './chosen-fields.ts'
import { dayConditionAt, phraseAt } from './date-words.ts'
import type { Draft, DraftCondition } from './draft.ts'
import { addCondition, startDraft, use } from './draft.ts'
import type { Lexicon, ObjectWords } from './lexicon.ts'
import { isDay, isFlag, isNumber } from './lexicon.ts'
import type { PredicateScope } from './predicates.ts'
import {
  bareComparisonAt,
  dayCondition,
  flagCondition,
  missing,
  numberCondition,
  optionCondition,
  predicateAt,
} from './predicates.ts'
import * as vocabulary from './vocabulary.ts'
import type { Word } from './words.ts'

/** Reads a question over one object. @param today the present day of the workspace */
export function understand(words: readonly Word[], of: ObjectWords, lexicon: Lexicon, today: string): Draft {
  return new QuestionReader(words, of, lexicon, today).read()
}

class QuestionReader {
  readonly #draft: Draft
  readonly #words: readonly Word[]
  readonly #of: ObjectWords
  readonly #scope: PredicateScope
  readonly #lexicon: Lexicon
  /** Negation, lack and possession last until the next condition. */
  #negated = false
  #lack: boolean | null = null
  #or = false
  #superlative: 'max' | 'min' | null = null
  /** Whether the object was named in the singular, and something is the greatest, the newest and so on. */
  #isSingle = false
  #isRanked = false
  /** A field of days that was named just before. */
  #dayField: FieldSchema | null = null

  constructor(words: readonly Word[], of: ObjectWords, lexicon: Lexicon, today: string) {
    this.#draft = startDraft(words, of)
    this.#words = words
    this.#of = of
    this.#lexicon = lexicon
    this.#scope = { words, of, today }
  }

  read(): Draft {
    for (let at = 0; at < this.#words.length;) {
      const end = this.#step(at)
      if (end > at) use(this.#draft, at, end)
      at = Math.max(end, at + 1)
    }
    this.#finish()
    return this.#draft
  }

  /** Takes what stands at a place; answers where it ends, or the place itself when nothing is known there. */
  #step(at: number): number {
    return (
      this.#objectAt(at) ??
      this.#orderAt(at) ??
      this.#groupAt(at) ??
      this.#measureAt(at) ??
      this.#optionAt(at) ??
      this.#fieldAt(at) ??
      this.#personAt(at) ??
      this.#overdueAt(at) ??
      this.#limitAt(at) ??
      this.#dayAt(at) ??
      this.#comparisonAt(at) ??
      this.#nameAt(at) ??
      this.#verbAt(at) ??
      this.#particleAt(at) ??
      at
    )
  }

  #add(condition: DraftCondition): void {
    addCondition(this.#draft, condition, this.#or)
    this.#negated = false
    this.#lack = null
    this.#or = false
  }

  #guess(trust: number): void {
    this.#draft.trust *= trust
  }

  #objectAt(at: number): number | null {
    const found = phraseAt(this.#words, at, this.#lexicon.objectPhrases)
    if (found === null || found.value !== this.#of.schema || this.#lack !== null) return null
    const { label, pluralLabel } = found.value
    const said = this.#words.slice(at, found.end).map(({ raw }) => raw.toLowerCase())
    this.#isSingle = label !== pluralLabel && said.join(' ') === label.toLowerCase()
    return found.end
  }

  #orderAt(at: number): number | null {
    const age = phraseAt(this.#words, at, vocabulary.ageWords)
    if (age !== null && dayConditionAt(this.#words, at, this.#scope.today) === null) {
      const next = this.#words[age.end]
      this.#draft.sort.push({ path: 'created_at', order: age.value, label: 'Created at' })
      this.#isRanked = true
      if (next?.kind === 'number' && Number.isInteger(next.value)) return this.#limit(age.end, next)
      return age.end
    }
    const superlative = phraseAt(this.#words, at, vocabulary.superlativeWords)
    // A field may be called "Maximum temperature".
    const named = superlative === null ? null : phraseAt(this.#words, at, this.#of.fieldPhrases)
    if (superlative !== null && (named === null || named.end <= superlative.end)) {
      this.#superlative = superlative.value
      const next = this.#words[superlative.end]
      return next?.kind === 'number' ? this.#limit(superlative.end, next) : superlative.end
    }
    const sort = phraseAt(this.#words, at, vocabulary.sortWords)
    if (sort === null) return null
    const field = phraseAt(this.#words, sort.end, this.#of.fieldPhrases)
    if (field === null) return null
    const direction = phraseAt(this.#words, field.end, vocabulary.directionWords)
    const order = direction?.value ?? 'asc'
    this.#draft.sort.push({ path: field.value.name, order, label: field.value.label })
    return direction?.end ?? field.end
  }

  #limit(at: number, word: Word): number {
    if (word.value! >= 1 && word.value! <= 1_000) this.#draft.top = word.value
    return at + 1
  }

  #groupAt(at: number): number | null {
    const group = phraseAt(this.#words, at, vocabulary.groupWords)
    if (group === null || this.#draft.group !== null) return null
    const granularity = phraseAt(this.#words, group.end, vocabulary.granularityWords)
    if (granularity !== null) {
      const named = phraseAt(this.#words, granularity.end, this.#of.fieldPhrases)
      const field = named !== null && isDay(named.value) ? named.value : (this.#dayField ?? this.#created())
      this.#draft.group = { path: field.name, label: field.label, granularity: granularity.value }
      if (named === null) this.#guess(0.8)
      return named?.end ?? granularity.end
    }
    const field = phraseAt(this.#words, group.end, this.#of.fieldPhrases)
    const object = field === null ? phraseAt(this.#words, group.end, this.#lexicon.objectPhrases) : null
    const relation = object === null ? undefined : this.#of.fields.find((own) => own.reference === object.value.name)
    const value = field?.value ?? relation
    if (value === undefined) return null
    const end = field?.end ?? object!.end
    // "top 5 deals by amount": a number is an order, not a group, unless something is worked out.
    const isOrder =
      isNumber(value) || (this.#draft.measure === null && this.#superlative === null && this.#draft.top !== null)
    if (isOrder && (this.#draft.measure === null || isNumber(value))) {
      const order = this.#superlative === 'min' ? 'asc' : 'desc'
      this.#superlative = null
      this.#draft.sort.push({ path: value.name, order, label: value.label })
      if (this.#draft.top === null) this.#guess(0.8)
      return end
    }
    const target = this.#of.targetOf(value)
    const path = target === undefined ? value.name : `${value.name}.${target.displayField.name}`
    this.#draft.group = { path, label: value.label, granularity: null }
    return end
  }

  #measureAt(at: number): number | null {
    const measure = phraseAt(this.#words, at, vocabulary.measureWords)
    const named = phraseAt(this.#words, at, this.#of.fieldPhrases)
    // "number of" is a measure, a field called "Number" is none.
    if (measure === null || (named !== null && named.end >= measure.end)) return null
    const name = measure.value
    let { end } = measure
    while (vocabulary.fillers.has(this.#words[end]?.stem ?? '')) end += 1
    const field = name === 'count' ? null : phraseAt(this.#words, end, this.#numberPhrases())
    this.#draft.measure = { function: name, field: field?.value ?? null }
    return field?.end ?? measure.end
  }

  #numberPhrases(): ObjectWords['fieldPhrases'] {
    return this.#of.fieldPhrases.filter(({ means }) => isNumber(means))
  }

  #personAt(at: number): number | null {
    const self = phraseAt(this.#words, at, vocabulary.selfWords)
    const none = self === null ? phraseAt(this.#words, at, vocabulary.unassignedWords) : null
    if (self === null && none === null) return null
    const person = personField(this.#of)
    if (person === undefined) return null
    const { field } = person
    if (none !== null) {
      this.#add(missing(field, true))
      return none.end
    }
    if (person.isGuess) this.#guess(0.8)
    const operand = { $user: 'id' }
    const filter = field.multiple ? { $contains: operand } : this.#negated ? { $ne: operand } : operand
    this.#add({ field, filter: { [field.name]: filter }, text: `${field.label} is ${this.#negated ? 'not ' : ''}you` })
    return self!.end
  }

  #overdueAt(at: number): number | null {
    const found = phraseAt(this.#words, at, vocabulary.overdueWords)
    const due = dueField(this.#of)
    if (found === null || due === undefined) return null
    if (due.isGuess) this.#guess(0.8)
    const filters = [{ [due.field.name]: { $lt: { $today: '' } } }, ...unfinished(this.#of)]
    const filter = filters.length === 1 ? filters[0]! : { $and: filters }
    if (this.#negated) this.#add({ field: null, filter: { $not: filter }, text: 'not overdue' })
    else this.#add({ field: null, filter, text: `${due.field.label} is before today and it is not finished` })
    return found.end
  }

  #limitAt(at: number): number | null {
    const limit = phraseAt(this.#words, at, vocabulary.limitWords)
    const word = this.#words[limit?.end ?? at]
    if (word?.kind !== 'number' || !Number.isInteger(word.value)) return null
    if (limit !== null) {
      if (limit.value === 'limit' && this.#words[at]!.stem === 'top') this.#superlative ??= 'max'
      return this.#limit(limit.end, word)
    }
    // "5 newest tasks", "3 deals"
    const next = at + 1
    const isCount =
      phraseAt(this.#words, next, vocabulary.superlativeWords) !== null ||
      phraseAt(this.#words, next, vocabulary.ageWords) !== null ||
      phraseAt(this.#words, next, this.#lexicon.objectPhrases)?.value === this.#of.schema
    return isCount ? this.#limit(at, word) : null
  }

  #optionAt(at: number): number | null {
    const option = phraseAt(this.#words, at, this.#of.optionPhrases, true)
    if (option === null) return null
    const { length } = this.#words[at]!.raw
    const field = phraseAt(this.#words, at, this.#of.fieldPhrases)
    if (field !== null && field.end >= option.end && this.#lack !== null) return null
    // A number is rarely an option.
    if (length === 0 || this.#words[at]!.kind !== 'word') return null
    const stems = this.#words.slice(at, option.end).map(({ stem }) => stem)
    const same = this.#of.optionPhrases.filter((phrase) => phrase.stems.join(' ') === stems.join(' '))
    const fields = new Set(same.map(({ means }) => means.field))
    if (fields.size > 1) this.#guess(0.7)
    if (field !== null && isFlag(field.value)) this.#guess(0.8)
    this.#add(optionCondition(option.value, this.#negated))
    // "open status": the field may be named behind its option.
    const behind = phraseAt(this.#words, option.end, this.#of.fieldPhrases)
    return behind !== null && behind.value === option.value.field ? behind.end : option.end
  }

  #fieldAt(at: number): number | null {
    const found = phraseAt(this.#words, at, this.#of.fieldPhrases)
    if (found === null) return null
    const field = found.value
    if (this.#superlative !== null && (isNumber(field) || isDay(field))) return this.#extreme(field, found.end)
    if (this.#lack !== null) {
      const lacks = this.#lack
      const predicate = lacks ? null : predicateAt(this.#scope, field, found.end, this.#negated)
      if (predicate === null) {
        this.#add(isFlag(field) ? flagCondition(field, !lacks) : missing(field, lacks))
        return found.end
      }
      this.#add(predicate.value)
      return predicate.end
    }
    const predicate = predicateAt(this.#scope, field, found.end, this.#negated)
    if (predicate !== null) {
      this.#add(predicate.value)
      return predicate.end
    }
    if (isFlag(field)) {
      this.#add(flagCondition(field, !this.#negated))
      return found.end
    }
    if (isDay(field)) {
      this.#dayField = field
      return found.end
    }
    if (
      this.#draft.measure !== null &&
      this.#draft.measure.field === null &&
      this.#draft.measure.function !== 'count' &&
      isNumber(field)
    ) {
      this.#draft.measure.field = field
      return found.end
    }
    if (this.#of.targetOf(field) !== undefined) return null
    // A field nothing is said of: it may be wanted as a column.
    this.#guess(0.8)
    return found.end
  }

  #extreme(field: FieldSchema, end: number): number {
    const isQuestion = ['what', 'wa', 'was', 'wie'].includes(this.#words[0]?.stem ?? '')
    const asksValue = (isQuestion || this.#isOfAll(end)) && this.#draft.top === null
    if (asksValue && isNumber(field)) this.#draft.measure = { function: this.#superlative!, field }
    else
      this.#draft.sort.push({
        path: field.name,
        order: this.#superlative === 'min' ? 'asc' : 'desc',
        label: field.label,
      })
    this.#isRanked = true
    this.#superlative = null
    return end
  }

  /** "the highest price of products": a value over them, unlike "products with the highest price". */
  #isOfAll(at: number): boolean {
    if (!['of', 'der', 'von', 'aller'].includes(this.#words[at]?.raw.toLowerCase() ?? '')) return false
    let next = at + 1
    while (vocabulary.fillers.has(this.#words[next]?.stem ?? '')) next += 1
    return phraseAt(this.#words, next, this.#lexicon.objectPhrases)?.value === this.#of.schema
  }

  #dayAt(at: number): number | null {
    const found = dayConditionAt(this.#words, at, this.#scope.today)
    if (found === null) return null
    const { days } = found.value
    if (days.kind === 'range' && days.isGuess) this.#guess(0.8)
    const field = this.#dayField ?? this.#dayFieldGuessed()
    this.#add(dayCondition(field, found.value, this.#negated))
    return found.end
  }

  #dayFieldGuessed(): FieldSchema {
    this.#guess(0.75)
    return onlyDay(this.#of)
  }

  #created(): FieldSchema {
    return this.#of.schema.byName.get('created_at')!
  }

  #comparisonAt(at: number): number | null {
    const found = bareComparisonAt(this.#words, at)
    if (found === null) return this.#amountAt(at)
    // "more than 500 employees"
    const behind = phraseAt(this.#words, found.end, this.#numberPhrases())
    if (behind !== null) {
      this.#add(numberCondition(behind.value, found.value.operator, found.value.values))
      return behind.end
    }
    const field = onlyNumber(this.#of)
    if (field === undefined) return null
    this.#guess(field.type === 'currency' ? 0.7 : 0.85)
    this.#add(numberCondition(field, found.value.operator, found.value.values))
    return found.end
  }

  /** "with 8 cylinders": so many of what a field counts. */
  #amountAt(at: number): number | null {
    const word = this.#words[at]!
    const field = word.kind === 'number' ? phraseAt(this.#words, at + 1, this.#numberPhrases()) : null
    if (field === null) return null
    this.#guess(0.9)
    this.#add(numberCondition(field.value, '$eq', [word.value!]))
    return field.end
  }

  #nameAt(at: number): number | null {
    const named = phraseAt(this.#words, at, vocabulary.nameWords) ?? phraseAt(this.#words, at, vocabulary.aboutWords)
    const word = this.#words[named?.end ?? at]
    if (word === undefined || (named === null && word.kind !== 'text')) return null
    // "with the title containing …": more is said of the field than its value.
    if (phraseAt(this.#words, named?.end ?? at, vocabulary.comparisonWords) !== null) return null
    const field = this.#of.schema.displayField
    const { type } = field
    if (type === 'id' || fieldTypeOf(field).collation !== 'text' || !this.#of.fields.includes(field)) return null
    if (named === null) return null
    this.#add({
      field,
      filter: { [field.name]: { $contains: word.raw } },
      text: `${field.label} contains "${word.raw}"`,
    })
    return named.end + 1
  }

  /** A verb that a field of days is called by, such as "closing" for "Close date": the days behind it are that field's. */
  #verbAt(at: number): number | null {
    const word = this.#words[at]!
    if (word.kind !== 'word' || vocabulary.fillers.has(word.stem)) return null
    const field = verbField(this.#of, word.stem)
    if (field === undefined) return null
    this.#dayField = field
    this.#guess(0.8)
    return at + 1
  }

  #particleAt(at: number): number | null {
    const or = phraseAt(this.#words, at, vocabulary.orWords)
    if (or !== null) {
      this.#or = this.#draft.conditions.length > 0
      return or.end
    }
    const lack = phraseAt(this.#words, at, vocabulary.lackWords)
    if (lack !== null) {
      this.#lack = true
      return lack.end
    }
    const negation = phraseAt(this.#words, at, vocabulary.negationWords)
    if (negation !== null) {
      this.#negated = true
      return negation.end
    }
    const have = phraseAt(this.#words, at, vocabulary.haveWords)
    if (have !== null) {
      const next = phraseAt(this.#words, have.end, this.#of.fieldPhrases)
      if (next !== null) this.#lack = false
      return have.end
    }
    return vocabulary.fillers.has(this.#words[at]!.stem) ? at + 1 : null
  }

  /** What needs all of the question: superlatives and measures without a field, negations without anything negated. */
  #finish(): void {
    const draft = this.#draft
    const numbers = this.#of.fields.filter(isNumber)
    if (this.#superlative !== null && draft.sort.length === 0 && draft.group === null) {
      const field = onlyNumber(this.#of)
      const order = this.#superlative === 'min' ? 'asc' : 'desc'
      if (field !== undefined) draft.sort.push({ path: field.name, order, label: field.label })
      this.#isRanked = true
      this.#guess(field === undefined ? 0.5 : 0.75)
    }
    const { measure } = draft
    if (measure !== null && measure.field === null && measure.function !== 'count') {
      const [only] = numbers
      if (only !== undefined && numbers.length === 1) measure.field = only
      else measure.function = 'count'
      this.#guess(numbers.length === 1 ? 0.8 : 0.5)
    }
    const isList = measure === null && draft.group === null
    if (this.#isSingle && this.#isRanked && isList) draft.top ??= 1
    if (this.#negated || this.#lack === true) this.#guess(0.5)
  }
}
