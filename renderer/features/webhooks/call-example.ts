// Owns how to call a receiver, as lines for a shell that anybody can try: a request, signed the way it asks for. Pure.
import { textOf } from '../../lib/text-of.ts'
import type { Receiver } from './webhook-queries.ts'

/** The lines; the secret, which is never shown, is to be filled in where `SECRET` or `TOKEN` is set. */
export function callExample(receiver: Pick<Receiver, 'url' | 'verificationType' | 'verificationParams'>): string {
  const { url, verificationType: type, verificationParams: params } = receiver
  const post = [`curl -X POST '${url}'`, `-H 'Content-Type: application/json'`]
  const body = `BODY='{"hello":"world"}'`
  const send = `--data-raw "$BODY"`
  if (type === 'header_token')
    return lines([`TOKEN='...'`, body], [...post, `-H "${textOf(params, 'header')}: $TOKEN"`, send])
  if (type !== 'hmac') return lines([body], [...post, send])
  if (textOf(params, 'scheme') === 'hex') {
    const steps = [
      `SECRET='...'`,
      body,
      `SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1)`,
    ]
    return lines(steps, [...post, `-H "${textOf(params, 'header')}: ${textOf(params, 'prefix')}$SIGNATURE"`, send])
  }
  const steps = [
    `SECRET='...'`,
    body,
    'ID="msg_$(date +%s)_$$"',
    'TIMESTAMP=$(date +%s)',
    // What follows "whsec_" is the key in Base64; any other secret is the key as it stands.
    'case "$SECRET" in',
    '  whsec_*) KEY=$(printf %s "${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d " \\n") ;;',
    '  *) KEY=$(printf %s "$SECRET" | od -An -v -tx1 | tr -d " \\n") ;;',
    'esac',
    'SIGNATURE=$(printf %s "$ID.$TIMESTAMP.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)',
  ]
  const headers = [
    '-H "webhook-id: $ID"',
    '-H "webhook-timestamp: $TIMESTAMP"',
    '-H "webhook-signature: v1,$SIGNATURE"',
  ]
  return lines(steps, [...post, ...headers, send])
}

function lines(steps: readonly string[], command: readonly string[]): string {
  return [...steps, command.join(' \\\n  ')].join('\n')
}
