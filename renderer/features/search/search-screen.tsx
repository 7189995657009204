// Owns the page of results: words and object are in the address, so that a search can be sent to somebody.
import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { EmptyState, LoadFailure, Notice } from '../../components/notice.tsx'
import { Moment } from '../../components/moment.tsx'
import { Page } from '../../components/page.tsx'
import parts from '../../components/parts.module.css'
import { navigate } from '../../lib/hash-location.ts'
import { recordPath } from '../../lib/record-address.ts'
import { t, tn } from '../../lib/strings.ts'
import { objectLabel, objectPluralLabel, useObjects } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { MarkedText } from './marked-text.tsx'
import { searchQuery } from './search-queries.ts'
import type { SearchHit } from './search-queries.ts'
import classes from './search.module.css'

const limit = 50

/** The page. */
export function SearchScreen() {
  const [parameters] = useSearchParams()
  const words = (parameters.get('q') ?? '').trim()
  const object = parameters.get('object') ?? undefined
  return (
    <Page title={t('search.title')} lead={words === '' ? t('search.lead') : undefined}>
      <SearchForm words={words} object={object} />
      {words !== '' && <Results words={words} object={object} />}
    </Page>
  )
}

function addressOf(words: string, object: string | undefined): string {
  const parameters = new URLSearchParams({ q: words, ...(object === undefined ? {} : { object }) })
  return `/search?${parameters.toString()}`
}

function SearchForm(props: { words: string; object: string | undefined }) {
  /** What was typed since the search in force; another one, by a link or by going back, takes its place. */
  const [typed, setTyped] = useState({ since: props.words, words: props.words })
  const words = typed.since === props.words ? typed.words : props.words
  return (
    <form
      role="search"
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        const sent = words.trim()
        if (sent === '') return
        setTyped({ since: sent, words })
        navigate(addressOf(sent, props.object), { replace: true })
      }}
    >
      <TextInput
        type="search"
        label={t('search.words')}
        description={t('search.words.help')}
        value={words}
        maxLength={500}
        onChange={(event) => setTyped({ since: props.words, words: event.currentTarget.value })}
      />
      <Button type="submit">{t('search.find')}</Button>
    </form>
  )
}

function Results(props: { words: string; object: string | undefined }) {
  const { words, object } = props
  const { data: objects = [] } = useObjects()
  const all = useQuery(searchQuery(words, { limit, count: true }))
  const one = useQuery({ ...searchQuery(words, { limit, count: true, object }), enabled: object !== undefined })
  const { data, error, refetch } = object === undefined ? all : one
  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!data || !all.data) return <p role="status">{t('word.loading')}</p>
  const labelOf = (name: string): string => {
    const item = objects.find((each) => each.name === name)
    return item ? objectPluralLabel(item) : name
  }
  const total = data.objects.reduce((sum, each) => sum + (each.total ?? 0), 0)
  const found = all.data.objects.reduce((sum, each) => sum + (each.total ?? 0), 0)
  return (
    <>
      {data.incomplete.length > 0 && (
        <Notice tone="warn" live>
          {t('search.incomplete', { objects: data.incomplete.map(labelOf).join(', ') })}
        </Notice>
      )}
      <p className="cairn-hidden" role="status">
        {tn('word.recordCount', total)}
      </p>
      {found === 0 ? (
        <EmptyState
          title={t('search.none', { words })}
          actions={
            <Button component="a" href="#/trash" variant="default">
              {t('search.trash')}
            </Button>
          }
        >
          {t('search.none.text')}
        </EmptyState>
      ) : (
        <nav aria-label={t('search.filters')}>
          <ul className={classes.filters}>
            <li>
              <a
                className={classes.filter}
                href={`#${addressOf(words, undefined)}`}
                aria-current={object === undefined || undefined}
              >
                {t('search.all', { count: found })}
              </a>
            </li>
            {all.data.objects.map((each) => (
              <li key={each.object}>
                <a
                  className={classes.filter}
                  href={`#${addressOf(words, each.object)}`}
                  aria-current={each.object === object || undefined}
                >
                  {t('word.objectCount', { object: labelOf(each.object), count: each.total ?? 0 })}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {data.results.length > 0 && (
        <ol className={classes.hits} aria-label={t('word.results')}>
          {data.results.map((hit) => (
            <Hit key={`${hit.object} ${hit.id}`} hit={hit} item={objects.find(({ name }) => name === hit.object)} />
          ))}
        </ol>
      )}
      {total > data.results.length && (
        <p className={parts.lead}>
          {t('search.shown', { shown: data.results.length, total })}{' '}
          {object !== undefined && (
            <a className={parts.link} href={`#/o/${object}?${new URLSearchParams({ q: words }).toString()}`}>
              {t('search.openObject', { object: labelOf(object) })}
            </a>
          )}
        </p>
      )}
    </>
  )
}

function Hit(props: { hit: SearchHit; item: ObjectItem | undefined }) {
  const { hit, item } = props
  const field = hit.match && item?.fields[hit.match.field]
  return (
    <li>
      <a className={classes.hit} href={`#${recordPath(hit.object, hit.id)}`}>
        <span className={classes.title}>
          {hit.title === null ? t('word.untitled') : <MarkedText text={hit.title} ranges={hit.titleRanges} />}
        </span>
        {hit.match && (
          <span className={classes.line}>
            {t('search.match', { field: field?.label ?? hit.match.field })}{' '}
            <MarkedText text={hit.match.text} ranges={hit.match.ranges} />
          </span>
        )}
        <span className={classes.line}>
          {item ? objectLabel(item) : hit.object} · <Moment at={hit.updatedAt} />
        </span>
      </a>
    </li>
  )
}
