// Owns one operation: its parameters and refusals, and trying it with the session of this page.
import { Button, TextInput, Textarea } from '@mantine/core'
import { useState } from 'react'
import parts from '../../components/parts.module.css'
import { FactList } from '../../components/fact-list.tsx'
import { request } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { t } from '../../lib/strings.ts'
import { AttemptResult } from './attempt-result.tsx'
import type { ShownOperation } from './object-document.ts'
import { useAttempt } from './use-attempt.ts'

/** The operation. */
export function OperationDetail({ operation }: { operation: ShownOperation }) {
  const { method, path, parameters, refusals } = operation
  const pathNames = parameters.filter((one) => one.in === 'path')
  const [filled, setFilled] = useState<Readonly<Record<string, string>>>({})
  const [query, setQuery] = useState('')
  const [body, setBody] = useState(operation.body ?? '')
  const [problem, setProblem] = useState<string>()
  const { attempt, busy, send } = useAttempt()
  const hasQuery = parameters.some((one) => one.in === 'query')

  const run = async (): Promise<void> => {
    const json = operation.body === undefined ? { ok: true as const, value: undefined } : readJson(body)
    setProblem(json.ok ? undefined : t('word.notJson'))
    if (!json.ok) return
    const isSure =
      method !== 'DELETE' ||
      (await confirmAction({
        title: t('api.try.delete.title'),
        body: t('api.try.delete.body'),
        confirmLabel: t('api.try.send', { method }),
      }))
    if (!isSure) return
    const address = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(filled[name] ?? ''))
    await send(async () => request(method, query === '' ? address : `${address}?${query}`, json.value))
  }

  return (
    <section className={parts.section} aria-labelledby="operation-name">
      <h2 id="operation-name">{operation.summary}</h2>
      <p className={parts.address}>
        <code>
          {method} {path}
        </code>
      </p>
      {parameters.length > 0 && (
        <FactList
          facts={parameters.map(
            ({ name, description }) => [name, description === '' ? t('word.text') : description] as const,
          )}
        />
      )}
      <form
        className={parts.form}
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        {pathNames.map(({ name }) => (
          <TextInput
            key={name}
            label={name}
            required
            value={filled[name] ?? ''}
            autoComplete="off"
            onChange={(event) => setFilled({ ...filled, [name]: event.currentTarget.value })}
          />
        ))}
        {hasQuery && (
          <TextInput
            label={t('word.query')}
            description={t('api.try.query.help')}
            value={query}
            autoComplete="off"
            onChange={(event) => setQuery(event.currentTarget.value)}
          />
        )}
        {operation.body !== undefined && (
          <Textarea
            label={t('api.try.body')}
            autosize
            minRows={4}
            maxRows={16}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
            value={body}
            error={problem}
            onChange={(event) => setBody(event.currentTarget.value)}
          />
        )}
        <Button type="submit" loading={busy} className={parts.start}>
          {t('api.try.send', { method })}
        </Button>
      </form>
      <AttemptResult attempt={attempt} />
      <details className={parts.section}>
        <summary>{t('api.reference.refusals')}</summary>
        <FactList facts={refusals.map(({ status, codes }) => [status, codes] as const)} />
      </details>
    </section>
  )
}

function readJson(text: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false }
  }
}
