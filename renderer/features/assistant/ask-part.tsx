// Owns asking a question in words: the form, and what it was understood as below it.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { IconSparkles } from '@tabler/icons-react'
import { useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel, useObject, useObjects } from '../objects/index.ts'
import type { Understood } from './assistant-queries.ts'
import classes from './assistant.module.css'
import { MadeQueryView } from './made-query.tsx'

/** The part; `object` is what the question is about, any object when absent. */
export function AskPart(props: { object: string | undefined }) {
  const { data: objects } = useObjects()
  const [object, setObject] = useState(props.object ?? '')
  const [question, setQuestion] = useState('')
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const [answer, setAnswer] = useState<Understood>()
  const [failure, setFailure] = useState<ApiError>()

  const ask = async (query: string): Promise<void> => {
    setTried(true)
    if (query.trim() === '') return
    setBusy(true)
    setFailure(undefined)
    try {
      setAnswer(await call('askAi', { body: { query, ...(object === '' ? {} : { object }) } }))
      setTried(false)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setAnswer(undefined)
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  const again = (text: string): void => {
    setQuestion(text)
    void ask(text)
  }

  return (
    <>
      <form
        className={classes.ask}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void ask(question)
        }}
      >
        <TextInput
          className={classes.question}
          label={t('assistant.question')}
          placeholder={t('assistant.question.example')}
          value={question}
          error={tried && question.trim() === '' ? t('assistant.question.missing') : undefined}
          maxLength={2_000}
          autoComplete="off"
          onChange={(event) => setQuestion(event.currentTarget.value)}
        />
        <NativeSelect
          label={t('assistant.about')}
          value={object}
          data={[
            { value: '', label: t('word.anyObject') },
            ...(objects ?? []).map((one) => ({ value: one.name, label: objectPluralLabel(one) })),
          ]}
          onChange={(event) => setObject(event.currentTarget.value)}
        />
        <Button type="submit" loading={busy} leftSection={<IconSparkles size={16} aria-hidden />}>
          {t('assistant.ask')}
        </Button>
      </form>
      <div aria-live="polite">
        {failure && <Refusal failure={failure} onAsk={again} />}
        {answer && <Answer key={answer.conversationId} answer={answer} />}
        {answer && answer.suggestions.length > 0 && <Suggestions texts={answer.suggestions} onAsk={again} />}
      </div>
    </>
  )
}

function Answer({ answer }: { answer: Understood }) {
  const { data: object } = useObject(answer.query.object)
  return object ? <MadeQueryView answer={answer} object={object} /> : null
}

function Refusal(props: { failure: ApiError; onAsk: (text: string) => void }) {
  const { code, details } = props.failure
  if (code !== 'ai_query_not_understood') {
    return (
      <div className={parts.section}>
        <Notice tone="bad">{problemText(props.failure)}</Notice>
      </div>
    )
  }
  const texts = Array.isArray(details['suggestions']) ? (details['suggestions'] as string[]) : []
  return (
    <div className={parts.section}>
      <Notice tone="info" title={t('assistant.notUnderstood')}>
        {t('assistant.notUnderstood.text')}
      </Notice>
      <Suggestions texts={texts} onAsk={props.onAsk} />
    </div>
  )
}

function Suggestions(props: { texts: readonly string[]; onAsk: (text: string) => void }) {
  if (props.texts.length === 0) return null
  return (
    <section className={parts.section} aria-labelledby="assistant-suggestions">
      <h2 id="assistant-suggestions">{t('assistant.suggestions')}</h2>
      <div className={parts.actions}>
        {props.texts.map((text) => (
          <Button
            key={text}
            size="xs"
            variant="default"
            className={classes.suggestion}
            onClick={() => props.onAsk(text)}
          >
            {text}
          </Button>
        ))}
      </div>
    </section>
  )
}
