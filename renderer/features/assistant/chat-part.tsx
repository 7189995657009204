// Owns a conversation about records: what was said, the answer as it comes, and the records it rests on.
import { Button, Textarea } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { openStream } from '../../lib/api-client.ts'
import { unreachable } from '../../lib/api-error.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { problemText } from '../../lib/problem-text.ts'
import { readEventStream } from '../../lib/realtime/event-stream.ts'
import { recordPath } from '../../lib/record-address.ts'
import { t } from '../../lib/strings.ts'
import classes from './assistant.module.css'

type ChatAnswer = CallResult<'chatWithAi'>

/** One thing that was said. */
interface Said {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly citations?: ChatAnswer['citations']
}

/** The part. */
export function ChatPart() {
  const [said, setSaid] = useState<readonly Said[]>([])
  const [message, setMessage] = useState('')
  const [coming, setComing] = useState<string>()
  const [problem, setProblem] = useState<unknown>()
  const conversation = useRef<string>(undefined)
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])

  const send = async (): Promise<void> => {
    const text = message.trim()
    if (text === '' || coming !== undefined) return
    stop.current = new AbortController()
    setSaid((before) => [...before, { role: 'user', content: text }])
    setMessage('')
    setProblem(undefined)
    setComing('')
    try {
      const id = conversation.current
      const answer = await openStream('chatWithAi', {
        query: {},
        body: { message: text, stream: true, ...(id === undefined ? {} : { conversationId: id }) },
        signal: stop.current.signal,
      })
      let isWhole = false
      for await (const { type, data } of readEventStream(answer)) {
        if (type === 'delta') setComing((before = '') => before + (JSON.parse(data) as { text: string }).text)
        if (type !== 'done') continue
        const done = JSON.parse(data) as ChatAnswer
        isWhole = true
        conversation.current = done.conversationId
        setSaid((before) => [
          ...before,
          { role: 'assistant', content: done.message.content, citations: done.citations },
        ])
      }
      if (!isWhole) throw unreachable(undefined)
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return
      // What was typed is not lost with an answer that did not come, nor what was typed since.
      setMessage((next) => `${text}\n${next}`.trimEnd())
      setSaid((before) => before.slice(0, -1))
      setProblem(error)
    } finally {
      setComing(undefined)
    }
  }

  return (
    <>
      <div role="log" aria-label={t('assistant.chat.log')} className={classes.log} tabIndex={0}>
        {said.length === 0 && coming === undefined && <p className={parts.lead}>{t('assistant.chat.empty')}</p>}
        {said.map((one, at) => (
          <Message key={`${at} ${one.role}`} said={one} />
        ))}
        {coming !== undefined && (
          <Message said={{ role: 'assistant', content: coming === '' ? t('assistant.chat.thinking') : coming }} />
        )}
      </div>
      {problem !== undefined && (
        <Notice tone="bad" live>
          {problemText(problem)}
        </Notice>
      )}
      <form
        className={classes.ask}
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <Textarea
          className={classes.question}
          label={t('assistant.chat.message')}
          description={t('assistant.chat.keys')}
          autosize
          minRows={1}
          maxRows={6}
          maxLength={20_000}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            void send()
          }}
        />
        <Button type="submit" loading={coming !== undefined} leftSection={<IconSend size={16} aria-hidden />}>
          {t('assistant.chat.send')}
        </Button>
      </form>
    </>
  )
}

function Message({ said: { role, content, citations = [] } }: { said: Said }) {
  return (
    <div className={classes.message} data-role={role}>
      <p className={classes.who}>{t(`assistant.chat.${role}`)}</p>
      <p className={classes.content}>{content}</p>
      {citations.length > 0 && (
        <p className={classes.cited}>
          {t('assistant.chat.citations')}{' '}
          {citations.map(({ object, recordId, title }) => (
            <a key={recordId} className={parts.link} href={`#${recordPath(object, recordId)}`}>
              {title}
            </a>
          ))}
        </p>
      )}
    </div>
  )
}
