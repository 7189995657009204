// What must be agreed to before it is done: the first call is answered with a plan and a token, the second one brings the token
// back. Tokens hold for one caller, one tool and the very same arguments, once, for five minutes.
import { hash } from 'node:crypto'
import { z } from 'zod'
import { validationError } from '#shared/errors.ts'
import { canonicalJson } from '#main/kernel/canonical-json.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { createTickets } from '#main/kernel/tickets.ts'

/** How long an agreement may take. */
export const confirmSeconds = 300

/** The argument that brings a token back. */
export const ConfirmToken = z
  .string()
  .max(200)
  .optional()
  .meta({ description: 'The confirmToken of the plan that an earlier call with the same arguments answered.' })

/** What a tool answers that wants to be asked again. */
export const Confirmation = {
  status: z
    .enum(['done', 'confirmation_required'])
    .meta({ description: 'confirmation_required: nothing was done. Show the plan to the user before calling again.' }),
  plan: z.record(z.string(), z.unknown()).optional().meta({ description: 'What would be done.' }),
  confirmToken: z.string().optional(),
  expiresAt: z.string().optional(),
}

/** A call that may have to be agreed to. */
export interface ConfirmedCall {
  readonly tool: string
  /** Without the token. */
  readonly args: Readonly<Record<string, unknown>>
}

/** The answer that asks. */
export interface Question {
  status: 'confirmation_required'
  plan: Record<string, unknown>
  confirmToken: string
  expiresAt: string
}

/** Hands out tokens and takes them back. */
export interface Confirmations {
  /**
   * Asks for agreement to a plan.
   * @param state what the act is to find unchanged; handed back by {@link Confirmations.redeem}
   */
  ask(ctx: RequestContext, call: ConfirmedCall, plan: Record<string, unknown>, state: unknown): Question
  /**
   * What the plan was made on; from then on the token is worth nothing.
   * @throws validation_error for a token that does not hold for this very call
   */
  redeem(ctx: RequestContext, call: ConfirmedCall, token: string): unknown
}

/** Makes them. */
export function createConfirmations(parts: { now: () => number; token: () => string }): Confirmations {
  const tickets = createTickets<{ digest: string; state: unknown }>(parts.now, parts.token, confirmSeconds)
  return {
    ask(ctx, call, plan, state) {
      tickets.sweep()
      const confirmToken = tickets.issue({ digest: digestOf(ctx, call), state })
      const expiresAt = new Date(parts.now() + confirmSeconds * 1000).toISOString()
      return { status: 'confirmation_required', plan, confirmToken, expiresAt }
    },
    redeem(ctx, call, token) {
      const found = tickets.redeem(token)
      if (found?.digest === digestOf(ctx, call)) return found.state
      const message =
        'The token does not hold for this call: it was used, is over five minutes old, or is for other arguments. Nothing was done. Call without it for a new plan.'
      throw validationError([{ field: 'confirmToken', code: 'not_allowed', message }])
    },
  }
}

function digestOf(ctx: RequestContext, { tool, args }: ConfirmedCall): string {
  const caller = [ctx.actor.id, ctx.credential, ctx.credentialId ?? '', ctx.organizationId ?? '']
  return hash('sha256', canonicalJson([caller, tool, args]), 'base64url')
}
