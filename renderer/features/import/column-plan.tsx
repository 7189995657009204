// Owns the table of decisions about columns: bring it or not, its name, its type, with the first values beside.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { memo, useCallback } from 'react'
import type { Dispatch, SetStateAction } from 'react'
import { typesByRank } from '../../fields/index.ts'
import { t, tn } from '../../lib/strings.ts'
import { hasOptions, objectPluralLabel, typeLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import classes from './column-plan.module.css'
import { guessedOptions, linkPrefix } from './import-plan.ts'
import type { ColumnPlan } from './import-plan.ts'

/** One line per column; changes go through `onChange`. */
export function ColumnPlanTable(props: {
  columns: readonly ColumnPlan[]
  /** Objects a column can link to by what their records are called. */
  objects: readonly ObjectItem[]
  onChange: Dispatch<SetStateAction<ColumnPlan[]>>
}) {
  const { onChange } = props
  const change = useCallback(
    (index: number, part: Partial<ColumnPlan>): void =>
      onChange((columns) => columns.map((column) => (column.index === index ? { ...column, ...part } : column))),
    [onChange],
  )
  return (
    <table className={classes.table} aria-label={t('word.columns')}>
      <thead>
        <tr>
          <th scope="col">{t('import.preview.include')}</th>
          <th scope="col">{t('import.preview.name')}</th>
          <th scope="col">{t('word.type')}</th>
          <th scope="col">{t('import.preview.sample')}</th>
        </tr>
      </thead>
      <tbody>
        {props.columns.map((column) => (
          <ColumnLine key={column.index} column={column} objects={props.objects} onChange={change} />
        ))}
      </tbody>
    </table>
  )
}

const ColumnLine = memo(function ColumnLine(props: {
  column: ColumnPlan
  objects: readonly ObjectItem[]
  onChange: (index: number, part: Partial<ColumnPlan>) => void
}) {
  const { column, onChange } = props
  const options = guessedOptions(column.guess)
  const isChoice = hasOptions(column.type)
  // A choice without known values could not take anything in.
  const types = typesByRank('importRank').filter((type) => !hasOptions(type) || options !== undefined)
  return (
    <tr className={classes.line} data-off={!column.include || undefined}>
      <td>
        <Checkbox
          aria-label={t('import.preview.includeColumn', { column: column.title })}
          checked={column.include}
          onChange={(event) => onChange(column.index, { include: event.currentTarget.checked })}
        />
      </td>
      <td>
        <TextInput
          size="xs"
          aria-label={t('import.preview.nameOf', { column: column.title })}
          value={column.label}
          disabled={!column.include}
          error={column.include && column.label.trim() === ''}
          onChange={(event) => onChange(column.index, { label: event.currentTarget.value })}
        />
      </td>
      <td>
        <NativeSelect
          size="xs"
          aria-label={t('import.preview.typeOf', { column: column.title })}
          value={column.type}
          disabled={!column.include}
          data={[
            ...types.map((type) => ({ value: type, label: typeLabel(type) })),
            ...props.objects.map((object) => ({
              value: `${linkPrefix}${object.name}`,
              label: t('import.preview.linkTo', { object: objectPluralLabel(object) }),
            })),
          ]}
          onChange={(event) => onChange(column.index, { type: event.currentTarget.value })}
        />
      </td>
      <td>
        <span className={classes.samples}>
          {isChoice && options && <span className={classes.choices}>{tn('import.options', options.length)}</span>}
          {column.samples.length === 0
            ? t('import.preview.noSample')
            : column.samples.map((sample, index) => (
                <span key={index} className={classes.sample}>
                  {sample}
                </span>
              ))}
        </span>
      </td>
    </tr>
  )
})
