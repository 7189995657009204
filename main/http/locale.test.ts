import { describe, expect, it } from 'vitest'
import { createLocaleResolver } from './locale.ts'

const resolve = createLocaleResolver(() => ({ fallback: 'en', supported: ['en', 'de', 'pt-BR'] }))

describe('createLocaleResolver', () => {
  it('answers the best supported tag by quality', () => {
    expect(resolve('fr, de;q=0.5, en;q=0.4')).toBe('de')
    expect(resolve('en;q=0.1, pt-br')).toBe('pt-BR')
  })

  it('takes a language for its regions and the other way round', () => {
    expect(resolve('de-AT')).toBe('de')
    expect(resolve('pt')).toBe('pt-BR')
  })

  it('falls back without header, for *, for what it does not speak and for noise', () => {
    for (const header of [undefined, '*', 'ja', 'de;q=0', ';;q=x,,', '']) expect(resolve(header)).toBe('en')
  })

  it('forgets answers when the choice changes', () => {
    let choice = { fallback: 'en', supported: ['en'] }
    const changing = createLocaleResolver(() => choice)
    expect(changing('de')).toBe('en')
    choice = { fallback: 'en', supported: ['en', 'de'] }
    expect(changing('de')).toBe('de')
  })
})
