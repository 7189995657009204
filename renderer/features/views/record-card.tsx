// Owns what a card says of a record, its choices as badges and its other values, two in a line where they are short; and
// the button that opens its menu.
import { IconDots } from '@tabler/icons-react'
import { fieldLabel, fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import type { GridRecord } from '../../components/grid/index.ts'
import { t } from '../../lib/strings.ts'
import classes from './cards.module.css'

/** Height of the parts of a card in pixels: long lists are laid out unseen. */
const heights = { padding: 20, title: 20, chips: 26, line: 20 } as const
/** Characters that a line has room for beside two icons, and those that its first half is wide. */
const line = { all: 27, half: 13 } as const

/** How wide a text is, in letters; those of Chinese, Japanese and Korean are two wide. */
const widthOf = (text: string): number => [...text].reduce((sum, letter) => sum + (letter > '\u2E7F' ? 2 : 1), 0)

/** Height of a card on which every one of these fields has a value that is short. */
export function cardHeight(fields: readonly FieldDefinition[]): number {
  const texts = fields.filter((field) => !isChip(field)).length
  return heightOf(texts < fields.length, Math.ceil(texts / 2))
}

/** Height of the card of one record. */
export function recordHeight(record: GridRecord, fields: readonly FieldDefinition[], context: FieldContext): number {
  const { badges, texts } = valuesOf(record, fields, context)
  return heightOf(
    badges.length > 0,
    texts.reduce((lines, { begins }) => lines + (begins ? 1 : 0), 0),
  )
}

const heightOf = (hasChips: boolean, lines: number): number =>
  heights.padding + heights.title + (hasChips ? heights.chips : 0) + lines * heights.line

const isChip = (field: FieldDefinition): boolean => fieldTypeOf(field).chips !== undefined

/** What a card says: fields without a value are left out, and a value with nothing beside it has the line to itself. */
function valuesOf(record: GridRecord, fields: readonly FieldDefinition[], context: FieldContext, paired = false) {
  const badges = fields.flatMap((field) =>
    (fieldTypeOf(field).chips?.(record[field.name], field, context) ?? []).map((chip) => ({ field, chip })),
  )
  const texts: { field: FieldDefinition; text: string; begins: boolean; wide: boolean }[] = []
  for (const field of fields) {
    if (isChip(field)) continue
    const text = fieldTypeOf(field).format(record[field.name], field, context)
    if (text === '') continue
    const last = texts.at(-1)
    const fits =
      last?.begins &&
      (paired || (widthOf(text) <= line.half && Math.max(line.half, widthOf(last.text)) + widthOf(text) <= line.all))
    if (fits) last.wide = false
    texts.push({ field, text, begins: !fits, wide: !fits })
  }
  return { badges, texts }
}

/** The values below the title of a card. */
export function CardValues(props: {
  record: GridRecord
  fields: readonly FieldDefinition[]
  context: FieldContext
  /** Two in a line however long they are, where cards are of one height. */
  paired?: boolean
}) {
  const { badges, texts } = valuesOf(props.record, props.fields, props.context, props.paired)
  return (
    <>
      {badges.length > 0 && (
        <span className={classes.chips}>
          {badges.map(({ field, chip }) => (
            <span
              key={`${field.name} ${chip.text}`}
              className={`field-chip ${chip.className}`}
              title={fieldLabel(field)}
            >
              <span className="cairn-hidden">{fieldLabel(field)}: </span>
              {chip.text}
            </span>
          ))}
        </span>
      )}
      {texts.length > 0 && (
        <span className={classes.lines} data-paired={props.paired || undefined}>
          {texts.map(({ field, text, wide }) => {
            const { icon: Icon } = fieldTypeOf(field)
            return (
              <span key={field.name} className={classes.line} data-wide={wide || undefined} title={fieldLabel(field)}>
                <Icon size={12} aria-hidden />
                <span className="cairn-hidden">{fieldLabel(field)}: </span>
                <span className={classes.lineText}>{text}</span>
              </span>
            )
          })}
        </span>
      )}
    </>
  )
}

/** Opens the menu of a card. A plain button: cards are made while people scroll. */
export function CardMore(props: {
  record: GridRecord
  title: string
  /** Whether the Tab key leads to it. */
  isStop: boolean
  onMenu: (record: GridRecord, anchor: HTMLElement) => void
}) {
  return (
    <button
      type="button"
      className={classes.more}
      tabIndex={props.isStop ? 0 : -1}
      aria-label={t('kinds.actions', { record: props.title })}
      onClick={(event) => {
        event.stopPropagation()
        props.onMenu(props.record, event.currentTarget)
      }}
    >
      <IconDots size={14} aria-hidden />
    </button>
  )
}
