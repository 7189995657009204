// What a page can do to another address, as code that runs inside a browser: it is sent there as text, so it uses
// nothing of this file's surroundings.

/** What the page is told. */
export interface HostileTask {
  /** Addresses of the host as the page knows them, without trailing slash. */
  readonly targets: readonly string[]
  /** Paths of every route, parameters filled in, each with its methods. */
  readonly routes: readonly { readonly path: string; readonly methods: readonly string[] }[]
  readonly liveId: string
  readonly deletedId: string
}

/** What the page got: texts it could read, and connections that opened. */
export interface HostileLoot {
  readonly texts: string[]
  readonly opened: string[]
  readonly attempts: number
}

/** Tries everything a page may try, and answers what it got. */
export async function attackFromPage(task: HostileTask): Promise<HostileLoot> {
  const texts: string[] = []
  const opened: string[] = []
  let attempts = 0
  const note = async (response: Response): Promise<void> => {
    // An opaque answer has no text and no status: the page sees nothing of it.
    if (response.ok) texts.push(await response.text())
  }
  const tryFetch = async (url: string, init: RequestInit): Promise<void> => {
    attempts += 1
    await fetch(url, { credentials: 'include', ...init }).then(note, () => undefined)
  }
  const settle = (element: HTMLElement, what: string): Promise<void> =>
    new Promise((resolve) => {
      attempts += 1
      const end = (): void => resolve()
      element.addEventListener('load', end)
      element.addEventListener('error', end)
      setTimeout(end, 1_500)
      element.setAttribute('data-what', what)
      document.body.append(element)
    })
  const inParallel = async (jobs: (() => Promise<void>)[]): Promise<void> => {
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < jobs.length) await jobs[next++]!()
    }
    await Promise.all(Array.from({ length: 6 }, worker))
  }
  const body = JSON.stringify({ title: 'forged' })
  const simple = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']

  for (const target of task.targets) {
    const data = `${target}/api/v1/data/task`
    const writes: (() => Promise<void>)[] = []
    // What changes rows if anything does: with and without the browser's preflight.
    for (const mode of ['no-cors', 'cors'] as const) {
      writes.push(
        () => tryFetch(`${data}/${task.deletedId}/restore`, { method: 'POST', mode }),
        () => tryFetch(data, { method: 'POST', mode, body }),
        () => tryFetch(data, { method: 'POST', mode, body, headers: { 'content-type': 'application/json' } }),
        () => tryFetch(data, { method: 'POST', mode, body: new URLSearchParams({ title: 'forged' }) }),
        () => tryFetch(data, { method: 'POST', mode, body: new Blob([body], { type: '' }) }),
      )
    }
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      writes.push(
        () => tryFetch(`${data}/${task.liveId}`, { method }),
        () => tryFetch(`${data}/${task.liveId}`, { method, body, headers: { 'content-type': 'application/json' } }),
      )
    }
    writes.push(() => {
      attempts += 1
      navigator.sendBeacon(data, body)
      navigator.sendBeacon(`${data}/${task.deletedId}/restore`)
      return Promise.resolve()
    })
    await inParallel(writes)

    // Forms, with a body that reads as JSON in the one encoding that allows it.
    for (const [index, enctype] of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
    ].entries()) {
      for (const action of [data, `${data}/${task.deletedId}/restore`]) {
        const frame = document.createElement('iframe')
        frame.name = `frame-${index}-${attempts}`
        const form = document.createElement('form')
        Object.assign(form, { method: 'post', enctype, action, target: frame.name })
        const field = document.createElement('input')
        Object.assign(field, { name: '{"title":"forged","x":"', value: '"}' })
        form.append(field)
        document.body.append(form)
        const loaded = settle(frame, action)
        form.submit()
        await loaded
      }
    }

    // What loads by itself: pictures, scripts, frames, styles.
    for (const path of [
      '/api/v1/data/task',
      '/api/v1/meta',
      '/_console/',
      `/api/v1/data/task/${task.liveId}?_method=DELETE`,
    ]) {
      const picture = document.createElement('img')
      picture.src = target + path
      const script = document.createElement('script')
      script.src = target + path
      const style = document.createElement('link')
      Object.assign(style, { rel: 'stylesheet', href: target + path })
      const frame = document.createElement('iframe')
      frame.src = target + path
      await Promise.all([picture, script, style, frame].map((element) => settle(element, path)))
      if (picture.naturalWidth > 0) opened.push(`picture ${path}`)
      try {
        const text = frame.contentDocument?.body.innerText ?? ''
        if (text !== '') texts.push(text)
      } catch {
        // Another origin: the browser keeps the page out.
      }
    }

    // Lasting connections.
    for (const path of [
      '/api/v1/realtime/ws',
      '/api/v1/realtime/ws?lastEventId=0',
      '/api/v1/realtime/sse?channels=object:task,metadata,user:me',
      '/api/v1/realtime/sse?connectionId=none',
      '/',
      '/_console/',
    ]) {
      attempts += 2
      await new Promise<void>((resolve) => {
        const socket = new WebSocket(target.replace('http', 'ws') + path, ['cairn.v1', 'cairn.ticket.guess'])
        socket.addEventListener('open', () => {
          opened.push(`socket ${path}`)
          socket.send('{"type":"subscribe","channel":"object:task"}')
        })
        socket.addEventListener('message', ({ data }) => texts.push(String(data)))
        for (const event of ['open', 'error', 'close']) socket.addEventListener(event, () => resolve())
        setTimeout(resolve, 1_500)
      })
      await new Promise<void>((resolve) => {
        const source = new EventSource(target + path, { withCredentials: true })
        const end = (): void => {
          source.close()
          resolve()
        }
        source.addEventListener('open', () => opened.push(`events ${path}`))
        source.addEventListener('open', end)
        source.addEventListener('error', end)
        setTimeout(end, 1_500)
      })
    }

    // Every route there is, as far as a page may go without being asked.
    await inParallel(
      task.routes.flatMap(({ path, methods }) => [
        ...(methods.includes('POST')
          ? [undefined, ...simple].map(
              (type) => () =>
                tryFetch(target + path, {
                  method: 'POST',
                  mode: 'no-cors',
                  ...(type === undefined ? {} : { body, headers: { 'content-type': type } }),
                }),
            )
          : []),
        ...(methods.includes('GET')
          ? [() => tryFetch(target + path, { mode: 'no-cors' }), () => tryFetch(target + path, { mode: 'cors' })]
          : []),
      ]),
    )
  }
  return { texts, opened, attempts }
}
