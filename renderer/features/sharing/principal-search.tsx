// Owns finding somebody, a role or a team by name: a field, and a list whose entries each have one button.
import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { principalsQuery } from './share-queries.ts'
import type { Principal, SharedRecord } from './share-queries.ts'
import classes from './sharing.module.css'

const restMs = 250

/** The field and what it finds. `marked` says why an entry has no button; `only` keeps to one kind. */
export function PrincipalSearch(props: {
  record: SharedRecord
  label: string
  only?: Principal['principalType']
  /** Ids that are not offered. */
  without?: readonly string[]
  marked?: (principal: Principal) => string | undefined
  action: string
  actionOf: (name: string) => string
  none: string
  autoFocus?: boolean
  onChoose: (principal: Principal) => Promise<void>
}) {
  const [text, setText] = useState('')
  const [query, setQuery] = useState('')
  const [busy, setBusy] = useState<string>()
  useEffect(() => {
    const timer = setTimeout(() => setQuery(text.trim()), restMs)
    return () => clearTimeout(timer)
  }, [text])
  const { data } = useQuery(principalsQuery(props.record, query))
  const found = data?.principals.filter(
    ({ principalType, principalId }) =>
      (props.only === undefined || principalType === props.only) && !props.without?.includes(principalId),
  )

  const choose = async (principal: Principal): Promise<void> => {
    setBusy(keyOf(principal))
    await props.onChoose(principal)
    setBusy(undefined)
  }

  return (
    <>
      <TextInput
        type="search"
        label={props.label}
        value={text}
        autoComplete="off"
        spellCheck={false}
        autoFocus={props.autoFocus}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div role="status" className={classes.found}>
        {found?.length === 0 && (
          <p className={classes.quiet}>{query === '' ? props.none : t('share.none', { query })}</p>
        )}
        {data?.hasMore && <p className={classes.quiet}>{t('share.more')}</p>}
      </div>
      {found && found.length > 0 && (
        <ul className={classes.results} aria-label={t('share.results')}>
          {found.map((principal) => {
            const mark = props.marked?.(principal)
            return (
              <li key={keyOf(principal)} className={classes.result}>
                <span className={classes.name}>
                  {principal.name}
                  <span className={parts.under}>{principal.detail ?? t(`share.kind.${principal.principalType}`)}</span>
                </span>
                {mark === undefined ? (
                  <Button
                    size="compact-sm"
                    variant="default"
                    loading={busy === keyOf(principal)}
                    aria-label={props.actionOf(principal.name)}
                    onClick={() => void choose(principal)}
                  >
                    {props.action}
                  </Button>
                ) : (
                  <span className={classes.quiet}>{mark}</span>
                )}
              </li>
            )
          })}
        </ul>
      )}
    </>
  )
}

function keyOf({ principalType, principalId }: Principal): string {
  return `${principalType} ${principalId}`
}
