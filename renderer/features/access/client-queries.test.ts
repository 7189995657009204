import { expect, it } from 'vitest'
import { readRedirects } from './client-queries.ts'

it('reads addresses an application can be led back to', () => {
  expect(readRedirects(' https://a.example/back \n\nhttp://127.0.0.1:8000/cb\nhttps://a.example/back')).toEqual([
    'https://a.example/back',
    'http://127.0.0.1:8000/cb',
  ])
  expect(readRedirects('com.example.app:/callback')).toEqual(['com.example.app:/callback'])
})

it.each(['', 'nonsense', 'http://a.example/back', 'javascript:alert(1)', 'data:text/html,x', 'https://a.example/#x'])(
  'refuses %s',
  (text) => {
    expect(readRedirects(text)).toBeUndefined()
  },
)
