// How long a request may take to arrive: its headers, and its body. Knows no route.
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { platformError } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'
import type { AnswerContext } from './answer.ts'
import { sendError } from './answer.ts'

/** The longest a request takes to arrive, in milliseconds. */
export interface ArrivalLimits {
  /** From the first byte, or the connection, to the end of the headers. */
  readonly headerMs: number
  /** From the end of the headers to that of the body; of a body that is handed on as it arrives, between two of its parts. */
  readonly bodyMs: number
  /** How often connections are looked at for late headers; late ones are ended within `headerMs` all the same. */
  readonly checkMs: number
}

/** The limits of N7 and D-199. */
export const defaultArrival: ArrivalLimits = Object.freeze({ headerMs: 10_000, bodyMs: 30_000, checkMs: 500 })

/**
 * Ends the request with `timeout`, and its connection, when its body does not arrive in time.
 * @param streams the body is handed on as it arrives, and may take long as long as it goes on
 */
export function limitArrival(
  answers: AnswerContext,
  { bodyMs }: ArrivalLimits,
  request: FastifyRequest,
  reply: FastifyReply,
  streams: boolean,
): void {
  const { raw } = request
  watchArrival(raw, bodyMs, streams, () => {
    if (reply.sent) {
      raw.socket.destroy()
      return
    }
    reply.raw.once('finish', () => raw.socket.destroySoon())
    reply.header('connection', 'close')
    sendError(answers, request, reply, lateBody(bodyMs))
  })
}

/** The refusal of a body that did not arrive in time. */
export function lateBody(bodyMs: number): PlatformError {
  return platformError('timeout', { reason: 'request_incomplete', limitMs: bodyMs })
}

/**
 * Says when the body of a request is late. Waiting for the host to read is not the client's delay.
 * @param streams as of {@link limitArrival}
 */
export function watchArrival(raw: IncomingMessage, bodyMs: number, streams: boolean, onLate: () => void): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = raw.headers
  if (coding === undefined && length === '0') return
  const { socket } = raw
  // A request that is injected comes over no connection.
  if (!(socket instanceof Socket)) return
  let arrived = socket.bytesRead
  const judge = (): void => {
    const goesOn = socket.bytesRead > arrived || raw.readableLength > 0
    if (streams && goesOn) {
      arrived = socket.bytesRead
      timer.refresh()
      return
    }
    onLate()
  }
  const timer = setTimeout(judge, bodyMs).unref()
  const forget = (): void => clearTimeout(timer)
  raw.once('end', forget)
  raw.once('close', forget)
}
