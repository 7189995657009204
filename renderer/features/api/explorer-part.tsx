// Owns the GraphQL explorer: a query with what fits at the caret, variables, a run, and the schema. Needs no network
// beyond the host.
import { Button, Textarea } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { CodeText } from '../../components/code-text.tsx'
import { LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call, download } from '../../lib/api-client.ts'
import { placeCaret } from '../../lib/place-caret.ts'
import { t } from '../../lib/strings.ts'
import classes from './api.module.css'
import { AttemptResult } from './attempt-result.tsx'
import { hintsAt } from './schema-hints.ts'
import { readSchemaText } from './schema-text.ts'
import { useAttempt } from './use-attempt.ts'

/** Suggestions shown at once. */
const maxHints = 24

const mono = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }

/** The part. */
export function ExplorerPart() {
  const schema = useQuery({
    queryKey: ['api', 'graphql-schema'] as const,
    queryFn: async ({ signal }) => {
      const { file } = await download('getGraphqlSchema', { params: {}, query: {}, signal })
      const text = await file.text()
      return { text, types: readSchemaText(text) }
    },
    staleTime: 0,
  })
  const [query, setQuery] = useState('query {\n  \n}')
  const [caret, setCaret] = useState(query.indexOf('\n}'))
  const [variables, setVariables] = useState('')
  const [problem, setProblem] = useState<string>()
  const { attempt, busy, send } = useAttempt()
  const area = useRef<HTMLTextAreaElement>(null)
  const list = useRef<HTMLDivElement>(null)

  const hints = schema.data ? hintsAt(query, caret, schema.data.types) : { from: caret, members: [] }
  const insert = (name: string): void => {
    const at = hints.from + name.length
    placeCaret(area.current, at, () => {
      setQuery(query.slice(0, hints.from) + name + query.slice(caret))
      setCaret(at)
    })
  }
  const run = async (): Promise<void> => {
    const given = readVariables(variables)
    setProblem(given === null ? t('api.graphql.variables.wrong') : undefined)
    if (given === null) return
    await send(async () =>
      call('runGraphql', { body: { query, ...(given === undefined ? {} : { variables: given }) } }),
    )
  }

  if (schema.error) return <LoadFailure error={schema.error} onRetry={() => void schema.refetch()} />
  return (
    <>
      <form
        className={classes.explorer}
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Textarea
          ref={area}
          label={t('word.query')}
          description={t('api.graphql.fits.help')}
          autosize
          minRows={10}
          maxRows={24}
          spellCheck={false}
          styles={mono}
          value={query}
          onChange={(event) => {
            setQuery(event.currentTarget.value)
            setCaret(event.currentTarget.selectionStart)
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={(event) => {
            if (event.key === ' ' && event.ctrlKey) {
              event.preventDefault()
              list.current?.querySelector('button')?.focus()
            } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
              event.preventDefault()
              void run()
            }
          }}
        />
        <div
          ref={list}
          role="group"
          aria-label={t('api.graphql.fits')}
          className={classes.hints}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            event.preventDefault()
            placeCaret(area.current, caret)
          }}
        >
          <p className={parts.quiet}>{t('api.graphql.fits')}</p>
          {hints.members.length === 0 && <p className={parts.quiet}>{t('api.graphql.fits.none')}</p>}
          {hints.members.slice(0, maxHints).map(({ name, type }) => (
            <button key={name} type="button" className={classes.hint} onClick={() => insert(name)}>
              <code>{name}</code> <span className={parts.quiet}>{type}</span>
            </button>
          ))}
        </div>
        <Textarea
          label={t('api.graphql.variables')}
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
          styles={mono}
          value={variables}
          error={problem}
          onChange={(event) => setVariables(event.currentTarget.value)}
        />
        <Button
          type="submit"
          loading={busy}
          className={parts.start}
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
        >
          {t('word.run')}
        </Button>
      </form>
      <AttemptResult attempt={attempt} />
      {schema.data && (
        <details className={parts.section}>
          <summary>{t('api.graphql.schema')}</summary>
          <CodeText label={t('api.graphql.schema')} text={schema.data.text} />
        </details>
      )}
    </>
  )
}

/** Variables of a form; undefined for none, null where they are no object. */
function readVariables(text: string): Record<string, unknown> | undefined | null {
  if (text.trim() === '') return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
