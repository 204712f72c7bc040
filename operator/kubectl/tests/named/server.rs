//! An API server with a few objects in one namespace, and the program that asks it.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct State {
    /// By resource and name.
    objects: BTreeMap<(String, String), Value>,
    /// Lists of a resource, by the test that a label selector names.
    of_test: BTreeMap<(String, String), Vec<String>>,
    /// Answered to everything: code, the object that the details name, message.
    refusal: Option<(u16, String, String)>,
    asked: Vec<String>,
}

pub struct Server {
    state: Arc<Mutex<State>>,
    folder: tempfile::TempDir,
}

impl Server {
    pub fn new() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let folder = tempfile::tempdir().unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        std::fs::write(folder.path().join("config"), kubeconfig(&address)).unwrap();
        let of_thread = state.clone();
        // Ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &of_thread);
            }
        });
        Server { state, folder }
    }

    pub fn refusing((code, name, message): (u16, &str, &str)) -> Server {
        let server = Server::new();
        server.state.lock().unwrap().refusal = Some((code, name.to_owned(), message.to_owned()));
        server
    }

    /// Of another namespace: only in the lists of all.
    pub fn another(self, resource: &str, object: Value) -> Server {
        let namespace = object["metadata"]["namespace"].as_str().unwrap();
        let key = (resource.to_owned(), format!("{namespace}/"));
        self.state.lock().unwrap().objects.insert(key, object);
        self
    }

    pub fn object(self, resource: &str, object: Value) -> Server {
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        let key = (resource.to_owned(), name);
        self.state.lock().unwrap().objects.insert(key, object);
        self
    }

    /// In the order of a list; in the place of what was there before.
    pub fn objects(self, resource: &str, of_test: &str, objects: &[Value]) -> Server {
        let names = objects
            .iter()
            .map(|object| object["metadata"]["name"].as_str().unwrap().to_owned());
        let key = (resource.to_owned(), of_test.to_owned());
        self.state
            .lock()
            .unwrap()
            .of_test
            .insert(key, names.collect());
        objects.iter().fold(self, |server, object| {
            server.object(resource, object.clone())
        })
    }

    pub fn asked(&self) -> Vec<String> {
        self.state.lock().unwrap().asked.clone()
    }

    /// Exit code, standard output, standard error.
    pub fn run(&self, line: &str) -> (i32, String, String) {
        program(line, &self.folder)
    }
}

/// Of a cluster that is not there.
pub fn away(line: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("config"),
        kubeconfig("http://127.0.0.1:1"),
    )
    .unwrap();
    program(line, &folder).2
}

fn program(line: &str, folder: &tempfile::TempDir) -> (i32, String, String) {
    let said = Command::new(env!("CARGO_BIN_EXE_kubectl-nettest"))
        .args(line.split(' '))
        .arg("--kubeconfig")
        .arg(folder.path().join("config"))
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        said.status.code().unwrap(),
        text(said.stdout),
        text(said.stderr),
    )
}

fn kubeconfig(server: &str) -> String {
    json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": "lab"}}],
        "users": [{"name": "u", "user": {}}],
    })
    .to_string()
}

/// One request a connection.
fn answer(mut stream: TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 {
            return;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    reader.read_exact(&mut vec![0; length]).unwrap();
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let (code, body) = state.lock().unwrap().answer(method, path);
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {code} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // The program may have what it wants and be gone.
    let _ = stream.write_all((head + &body).as_bytes());
}

impl State {
    fn answer(&mut self, method: &str, path: &str) -> (u16, Value) {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        // Of all namespaces it is `/apis/GROUP/VERSION/RESOURCE`, of which the resource stays.
        let end = match path.split_once("/namespaces/lab/") {
            Some((_, end)) => end,
            None => path.rsplit('/').next().unwrap_or(path),
        };
        self.asked.push(format!("{method} {end}"));
        if let Some((code, name, message)) = &self.refusal {
            return (*code, status(*code, name, message));
        }
        match end.split_once('/') {
            Some((resource, name)) => {
                let key = (resource.to_owned(), name.to_owned());
                match self.objects.get(&key) {
                    Some(object) => (200, object.clone()),
                    None => (404, status(404, name, "not found")),
                }
            }
            None => {
                let of = query
                    .split_once("nettest.dev%2Ftest%3D")
                    .map(|(_, rest)| rest.split('&').next().unwrap_or(""));
                let of_resource = self
                    .objects
                    .iter()
                    .filter(|((resource, _), _)| resource == end);
                let items: Vec<Value> = match of {
                    Some(test) => {
                        let names = self
                            .of_test
                            .get(&(end.to_owned(), test.to_owned()))
                            .cloned()
                            .unwrap_or_default();
                        let object =
                            |name: String| self.objects.get(&(end.to_owned(), name)).cloned();
                        names.into_iter().filter_map(object).collect()
                    }
                    None => of_resource.map(|(_, object)| object.clone()).collect(),
                };
                let list = json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": "1"}, "items": items});
                (200, list)
            }
        }
    }
}

fn status(code: u16, name: &str, message: &str) -> Value {
    let reason = if code == 404 { "NotFound" } else { "X" };
    let mut status = json!({"apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure", "code": code, "reason": reason, "message": message});
    if !name.is_empty() {
        status["details"] = json!({"name": name});
    }
    status
}
