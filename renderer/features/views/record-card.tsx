// Owns what a card says of a record: its title, its choices as badges, and its other values, two in a line.
import { fieldLabel, fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import type { GridRecord } from '../../components/grid/index.ts'
import classes from './cards.module.css'

/** Height of the parts of a card in pixels; cards of a view are of one height, so that long lists can be laid out unseen. */
const heights = { padding: 20, title: 20, chips: 26, line: 20 } as const

/** Height of a card that shows these fields. */
export function cardHeight(fields: readonly FieldDefinition[]): number {
  const { chips, texts } = split(fields)
  const lines = Math.ceil(texts.length / 2)
  return heights.padding + heights.title + (chips.length > 0 ? heights.chips : 0) + lines * heights.line
}

function split(fields: readonly FieldDefinition[]): { chips: FieldDefinition[]; texts: FieldDefinition[] } {
  const isChip = (field: FieldDefinition): boolean => fieldTypeOf(field).chips !== undefined
  return { chips: fields.filter(isChip), texts: fields.filter((field) => !isChip(field)) }
}

/** The values below the title of a card. */
export function CardValues(props: { record: GridRecord; fields: readonly FieldDefinition[]; context: FieldContext }) {
  const { record, context } = props
  const { chips, texts } = split(props.fields)
  const badges = chips.flatMap((field) =>
    (fieldTypeOf(field).chips?.(record[field.name], field, context) ?? []).map((chip) => ({ field, chip })),
  )
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
        <span className={classes.lines}>
          {texts.map((field) => {
            const { icon: Icon, format } = fieldTypeOf(field)
            const text = format(record[field.name], field, context)
            return (
              <span key={field.name} className={classes.line} title={fieldLabel(field)}>
                {text !== '' && (
                  <>
                    <Icon size={12} aria-hidden />
                    <span className="cairn-hidden">{fieldLabel(field)}: </span>
                    <span className={classes.lineText}>{text}</span>
                  </>
                )}
              </span>
            )
          })}
        </span>
      )}
    </>
  )
}
