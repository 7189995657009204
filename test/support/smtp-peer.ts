// A mail server on a free port that keeps what it receives.
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { Socket } from 'node:net'

/** A mail as it arrived. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
}

/** A running mail server. */
export interface SmtpPeer {
  readonly port: number
  readonly mails: ReceivedMail[]
  /** Every line a client said, bodies left out. */
  readonly heard: string[]
  /** Answers a line in place of the server: a reply, or null to say nothing more. Lines it answers undefined for pass. */
  answer: (line: string) => string | null | undefined
  /** The next mail to an address that has not been taken yet. */
  take(to: string): Promise<ReceivedMail>
  stop(): Promise<void>
}

/** Starts the server on a port, or any free one; it speaks RFC 5321 as far as sending a mail needs it. */
export async function startSmtpPeer(port = 0): Promise<SmtpPeer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    converse(socket, peer)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const peer: SmtpPeer = {
    port: (server.address() as AddressInfo).port,
    mails: [],
    heard: [],
    answer: () => undefined,
    async take(to) {
      for (let tries = 0; tries < 200; tries += 1) {
        const at = peer.mails.findIndex((mail) => mail.to.includes(to))
        if (at !== -1) return peer.mails.splice(at, 1)[0]!
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`No mail arrived for ${to}.`)
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return peer
}

function converse(socket: Socket, peer: SmtpPeer): void {
  let buffer = ''
  let data: string[] | null = null
  let from = ''
  let to: string[] = []
  const say = (line: string): void => void socket.write(`${line}\r\n`)
  const address = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? ''

  const hear = (line: string): void => {
    if (data !== null) {
      if (line !== '.') {
        data.push(line.startsWith('..') ? line.slice(1) : line)
        return
      }
      const own = peer.answer('.')
      if (own !== undefined) {
        data = null
        if (own !== null) say(own)
        return
      }
      peer.mails.push({ from, to, text: decodeQuotedPrintable(data.join('\n')) })
      data = null
      to = []
      say('250 kept')
      return
    }
    peer.heard.push(line)
    const own = peer.answer(line)
    if (own !== undefined) {
      if (own !== null) say(own)
      return
    }
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'EHLO' || verb === 'HELO') say('250 peer')
    else if (verb === 'MAIL') {
      from = address(line)
      say('250 ok')
    } else if (verb === 'RCPT') {
      to.push(address(line))
      say('250 ok')
    } else if (verb === 'DATA') {
      data = []
      say('354 go on')
    } else if (verb === 'QUIT') {
      say('221 bye')
      socket.end()
    } else say('250 ok')
  }

  say('220 peer')
  socket.on('data', (chunk) => {
    buffer += chunk.toString('utf8')
    for (let end = buffer.indexOf('\r\n'); end !== -1; end = buffer.indexOf('\r\n')) {
      hear(buffer.slice(0, end))
      buffer = buffer.slice(end + 2)
    }
  })
}

function decodeQuotedPrintable(text: string): string {
  return text
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
