import { describe, expect, it } from 'vitest'
import { requestAddress, requestText } from './view-request.ts'

const request = {
  base: 'http://127.0.0.1:7430/api/v1',
  object: 'book',
  query: { sort: [{ field: 'pages', order: 'desc' as const }], search: "it's" },
  filter: { title: { $contains: 'a&b' } },
  columns: ['title', 'pages'],
}

describe('a view as a request', () => {
  it('asks for what is shown', () => {
    const { pathname, searchParams } = new URL(requestAddress(request))
    expect(pathname).toBe('/api/v1/data/book')
    expect(Object.fromEntries(searchParams)).toEqual({
      select: 'title,pages',
      filter: '{"title":{"$contains":"a&b"}}',
      sort: '-pages',
      search: "it's",
    })
  })

  it('holds no sign that ends its quotes, and no key', () => {
    for (const form of ['curl', 'javascript'] as const) {
      const text = requestText(form, request)
      const [, quoted] = /'([^']*)'/.exec(text) ?? []
      expect(new URL(quoted!).searchParams.get('search')).toBe("it's")
      expect(text).toContain('CAIRN_API_KEY')
    }
  })
})
