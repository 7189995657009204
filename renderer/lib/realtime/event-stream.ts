// Owns reading a text/event-stream from an answer. The browser's own reader cannot send the credential of the desktop
// window, so the answer of an ordinary request is read instead. Knows no event.

/** One event of a stream. */
export interface StreamedEvent {
  /** Word after `event:`; `message` where there is none. */
  type: string
  data: string
}

/** Reads events until the stream ends; comments and empty events are left out. */
export async function* readEventStream(answer: Response): AsyncGenerator<StreamedEvent> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) return
  let rest = ''
  let type = 'message'
  let data: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { type, data: data.join('\n') }
          type = 'message'
          data = []
          continue
        }
        const [, field, text = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
        if (field === 'event') type = text
        else if (field === 'data') data.push(text)
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined) // the stream is over either way
  }
}
