// Owns choosing what a key may do: everything its maker may, or only what some permission sets allow.
import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import parts from '../../components/parts.module.css'
import { rightSetsQuery } from '../../lib/right-sets.ts'
import { t } from '../../lib/strings.ts'
import classes from './account.module.css'

/** The names of the chosen sets; null for all rights of the maker. */
export type Narrowing = readonly string[] | null

/** Whether a key can be made of it: narrowed to nothing it would be of no use. */
export function isUsableNarrowing(narrowing: Narrowing): boolean {
  return narrowing === null || narrowing.length > 0
}

/** The choice; it complains once sending it was `tried`. */
export function NarrowingChoice(props: { value: Narrowing; tried: boolean; onChange: (value: Narrowing) => void }) {
  const { value, tried, onChange } = props
  const { data: sets } = useQuery(rightSetsQuery('permission'))
  return (
    <>
      <fieldset className={`${parts.options} ${parts.choices}`}>
        <legend>{t('keys.narrow')}</legend>
        {([false, true] as const).map((isNarrowed) => (
          <label key={String(isNarrowed)} className={classes.option}>
            <input
              type="radio"
              name="narrow"
              checked={(value !== null) === isNarrowed}
              onChange={() => onChange(isNarrowed ? [] : null)}
            />
            {t(isNarrowed ? 'keys.narrow.some' : 'keys.narrow.all')}
          </label>
        ))}
      </fieldset>
      {value !== null && (
        <fieldset className={`${parts.options} ${parts.choices}`}>
          <legend>{t('word.permissionSets')}</legend>
          {sets?.length === 0 && <p className={parts.lead}>{t('keys.narrow.none')}</p>}
          {sets?.map((set) => (
            <Checkbox
              key={set.name}
              label={set.label}
              checked={value.includes(set.name)}
              onChange={(event) =>
                onChange(event.currentTarget.checked ? [...value, set.name] : value.filter((each) => each !== set.name))
              }
            />
          ))}
          {tried && value.length === 0 && (
            <p className={parts.problem} role="alert">
              {t('keys.narrow.missing')}
            </p>
          )}
        </fieldset>
      )}
    </>
  )
}
