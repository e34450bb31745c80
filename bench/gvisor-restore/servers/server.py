from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

requests = 0


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        global requests
        requests += 1
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(requests).encode())


ThreadingHTTPServer(("127.0.0.1", 8080), Handler).serve_forever()
